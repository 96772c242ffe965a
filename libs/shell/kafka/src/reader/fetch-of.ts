import type { AnswerDecoder, KafkaRequest } from '../connection/kafka-request.ts';
import { givenId } from '../connection/topic-id.ts';
import { decodeFetchById, fetchByIdRequest, type IdentifiedPartition } from './fetch-by-id.ts';
import {
  decodeFetch,
  type FetchAnswer,
  type FetchBounds,
  type FetchedPartition,
  fetchRequest,
} from './fetch-exchange.ts';

export interface Fetchable extends FetchedPartition {
  /** undefined, or zeros: the cluster's metadata have no ids, as those that were made before Kafka 2.8 and are not upgraded. */
  readonly topicId: string | undefined;
}

/** By ids where all of them are known. */
export function fetchOf(
  partitions: readonly Fetchable[],
  bounds: FetchBounds,
): { readonly request: KafkaRequest; readonly decode: AnswerDecoder<FetchAnswer> } {
  const identified = partitions.filter(isIdentified);
  if (identified.length < partitions.length) return { request: fetchRequest(partitions, bounds), decode: decodeFetch };
  const topics = new Map(identified.map(({ topicId, partition: { topic } }) => [topicId, topic]));
  return { request: fetchByIdRequest(identified, bounds), decode: (payload) => decodeFetchById(payload, topics) };
}

function isIdentified(partition: Fetchable): partition is Fetchable & IdentifiedPartition {
  return givenId(partition.topicId) !== undefined;
}
