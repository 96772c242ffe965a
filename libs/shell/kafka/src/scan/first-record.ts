// Fetches a first record of a topic, from any partition that has one, for a few kilobytes: enough to see who writes there.
import { MalformedBytes, PartitionStopped } from '@flatline/base';
import type { RecordHeader, TopicPartition } from '@flatline/ports';
import { type AdminOptions, administer } from '../admin/patience.ts';
import type { KafkaConnection } from '../connection/kafka-connection.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import { listOffsets } from '../connection/list-offsets.ts';
import { decodeFetch, type FetchedPartition, fetchRequest, type PartitionAnswer } from '../reader/fetch-exchange.ts';
import { BatchCursor } from '../record-batch/batch-cursor.ts';
import { scanBatches } from '../record-batch/batch-scan.ts';

/** For all partitions together; the first batch of them comes whole in any case (KIP-74). */
const FETCH_BYTES = 1_024;
/** Most fetches from one leader: transactions and compaction may leave batches without records. */
const FETCHES_MAX = 4;

export interface FirstRecord extends TopicPartition {
  readonly offset: number;
  readonly headers: readonly RecordHeader[];
}

interface Asked {
  readonly topic: string;
  readonly partitionCount: number;
}

/**
 * The first decided record of the first leader that has any, also of an aborted transaction. undefined where none is seen: the
 * topic is empty, or may not be read. Two requests, where the leaders are known and the first of them has records.
 * @throws Retriable, Fatal, PartitionStopped.
 */
export function firstRecord(options: AdminOptions, asked: Asked): Promise<FirstRecord | undefined> {
  const { connection } = options;
  return administer(options, async () => {
    try {
      return await lookOnce(connection, asked);
    } catch (error) {
      // Whatever the error, the next attempt asks for the present leaders.
      connection.forgetLeaders(asked.topic);
      throw error;
    }
  });
}

async function lookOnce(
  connection: KafkaConnection,
  { topic, partitionCount }: Asked,
): Promise<FirstRecord | undefined> {
  const led = new Map<number, { readonly partition: number; readonly leaderEpoch: number }[]>();
  for (let partition = 0; partition < partitionCount; partition += 1) {
    const { nodeId, leaderEpoch } = await connection.leader({ topic, partition });
    const here = led.get(nodeId) ?? [];
    led.set(nodeId, here);
    here.push({ partition, leaderEpoch });
  }
  for (const [nodeId, partitions] of led) {
    const starts = await listOffsets(connection, nodeId, { topic, partitions }, 'start');
    const places = partitions.map(({ partition, leaderEpoch }) => ({
      partition: { topic, partition },
      leaderEpoch,
      offset: starts.get(partition)!,
    }));
    const found = await firstAt(connection, nodeId, places);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Looks at one leader's partitions, from these offsets on. */
async function firstAt(
  connection: KafkaConnection,
  nodeId: number,
  places: readonly FetchedPartition[],
): Promise<FirstRecord | undefined> {
  const bounds = { waitMs: 0, fetchBytes: FETCH_BYTES, partitionFetchBytes: FETCH_BYTES };
  const doing = `read the first record of ${places[0]!.partition.topic}`;
  const from = new Map(places.map((place) => [place.partition.partition, place]));
  for (let fetches = 0; fetches < FETCHES_MAX; fetches += 1) {
    const request = fetchRequest([...from.values()], bounds);
    const { payload, partitions } = await connection.send(nodeId, request, decodeFetch, { doing });
    let goesOn = false;
    for (const answer of partitions) {
      const place = from.get(answer.partition);
      if (place === undefined || answer.errorCode !== KafkaCode.none || answer.start === answer.end) continue;
      const seen = firstIn(payload, answer, place);
      if (typeof seen !== 'number') return seen;
      goesOn ||= seen > place.offset;
      from.set(answer.partition, { ...place, offset: seen });
    }
    if (!goesOn) return undefined;
  }
  return undefined;
}

/** The first record of these batches, or where to go on. */
function firstIn(
  payload: Buffer,
  { start, end: limit }: PartitionAnswer,
  { partition: source, offset: askedOffset }: FetchedPartition,
): FirstRecord | number {
  try {
    const { end, nextOffset } = scanBatches(payload, start, limit, askedOffset);
    // A transaction that was aborted shows who writes there, too.
    const cursor = new BatchCursor({ source, bytes: payload, start, end, askedOffset, nextOffset, aborted: [] });
    return cursor.next() ? { ...source, offset: cursor.offset, headers: cursor.headers() } : nextOffset;
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    const name = `${source.topic}-${source.partition}`;
    throw new PartitionStopped(`${name} cannot be read from offset ${askedOffset} on: ${error.message}`, error);
  }
}
