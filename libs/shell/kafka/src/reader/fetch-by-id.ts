// Fetch v13: topics by their ids (KIP-516), so that a topic that was deleted and made again under its name is never taken for the one
// before, not even where nothing was read yet and both are in their first epoch.
//
// From v11 on a follower answers, too (kafkajs 7): each partition is asked for in the epoch whose leader the metadata named, and
// whoever is a follower in that epoch, or knows another one, refuses. No rack is said, by which a broker would send us to a follower.
import { errorOfCode } from '../connection/foreign-errors.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';
import type { AbortedTransaction } from '../record-batch/aborted-transactions.ts';
import {
  type FetchAnswer,
  type FetchBounds,
  type FetchedPartition,
  FETCHING,
  type PartitionAnswer,
} from './fetch-exchange.ts';

/** As metadata name it; the topics of one request have one each. */
export interface IdentifiedPartition extends FetchedPartition {
  readonly topicId: string;
}

const NO_EPOCH = -1;
const NO_RACK = '';

export function fetchByIdRequest(partitions: readonly IdentifiedPartition[], bounds: FetchBounds): KafkaRequest {
  const writer = new ProtocolWriter(64 + 64 * partitions.length)
    .noTags()
    .int32(FETCHING.noReplica)
    .int32(bounds.waitMs)
    .int32(1)
    .int32(bounds.fetchBytes)
    .int8(FETCHING.readCommitted)
    .int32(FETCHING.noSession)
    .int32(FETCHING.finalEpoch);
  // A topic may be named several times, as in v10: the order is the callers'.
  writer.compactArray(partitions, ({ partition: { partition }, topicId, leaderEpoch, offset }) => {
    writer.raw(Buffer.from(topicId, 'hex')).uvarint(2).int32(partition).int32(leaderEpoch).int64(offset);
    writer.int32(NO_EPOCH).int64(FETCHING.notAFollower).int32(bounds.partitionFetchBytes).noTags().noTags();
  });
  writer.uvarint(1).compactString(NO_RACK).noTags();
  return { apiKey: ApiKey.fetch, apiVersion: 13, apiName: 'Fetch', body: writer.finish() };
}

/** `topics`: names, by id. @throws MalformedBytes; what the code of the whole answer means. */
export function decodeFetchById(payload: Buffer, topics: ReadonlyMap<string, string>): FetchAnswer {
  const reader = new ProtocolReader(payload);
  reader.skipTags();
  reader.int32();
  const code = reader.int16();
  if (code !== 0) throw errorOfCode(code, 'fetch');
  reader.int32();
  const partitions: PartitionAnswer[] = [];
  for (let left = reader.uvarint() - 1; left > 0; left -= 1) {
    const topic = topics.get(reader.uuid()) ?? '';
    for (let count = reader.uvarint() - 1; count > 0; count -= 1) partitions.push(readPartition(reader, topic));
    reader.skipTags();
  }
  return { payload, partitions };
}

function readPartition(reader: ProtocolReader, topic: string): PartitionAnswer {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const highWatermark = reader.int64();
  const lastStableOffset = reader.int64();
  const logStartOffset = reader.int64();
  const aborted = reader.compactArray(readAborted);
  // Preferred read replica: none is chosen for a reader without a rack.
  reader.int32();
  const length = Math.max(0, reader.uvarint() - 1);
  const start = reader.advance(length);
  reader.skipTags();
  const end = start + length;
  return { topic, partition, errorCode, highWatermark, lastStableOffset, logStartOffset, aborted, start, end };
}

function readAborted(reader: ProtocolReader): AbortedTransaction {
  const transaction = { producerId: reader.int64(), firstOffset: reader.int64() };
  reader.skipTags();
  return transaction;
}
