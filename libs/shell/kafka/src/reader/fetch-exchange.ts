// Fetch v10: the last version that only a leader answers (v11 lets followers, kafkajs 7), and the first that may hold
// zstd. Sessionless: each request names its partitions. Readers that know the ids of their topics name them by these (fetch-by-id.ts).
import type { DurationMs } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';
import type { AbortedTransaction } from '../record-batch/aborted-transactions.ts';

/** Fields of every version. */
export const FETCHING = { noReplica: -1, readCommitted: 1, noSession: 0, finalEpoch: -1, notAFollower: -1 } as const;

export interface FetchedPartition {
  readonly partition: TopicPartition;
  readonly leaderEpoch: number;
  readonly offset: number;
}

export interface FetchBounds {
  readonly waitMs: DurationMs;
  readonly fetchBytes: number;
  readonly partitionFetchBytes: number;
}

export function fetchRequest(partitions: readonly FetchedPartition[], bounds: FetchBounds): KafkaRequest {
  const writer = new ProtocolWriter(64 + 64 * partitions.length)
    .int32(FETCHING.noReplica)
    .int32(bounds.waitMs)
    .int32(1)
    .int32(bounds.fetchBytes)
    .int8(FETCHING.readCommitted)
    .int32(FETCHING.noSession)
    .int32(FETCHING.finalEpoch);
  // A topic may be named several times: the leader fills its answer in this order, so the order is the callers'.
  writer.array(partitions, ({ partition: { topic, partition }, leaderEpoch, offset }) => {
    writer.string(topic).int32(1).int32(partition).int32(leaderEpoch).int64(offset);
    writer.int64(FETCHING.notAFollower).int32(bounds.partitionFetchBytes);
  });
  writer.int32(0);
  return { apiKey: ApiKey.fetch, apiVersion: 10, apiName: 'Fetch', body: writer.finish() };
}

/** A leader's answer about one partition. The records are bytes `start` to `end` of the answer's payload. */
export interface PartitionAnswer {
  readonly topic: string;
  readonly partition: number;
  readonly errorCode: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
  readonly logStartOffset: number;
  readonly aborted: readonly AbortedTransaction[];
  readonly start: number;
  readonly end: number;
}

export interface FetchAnswer {
  readonly payload: Buffer;
  readonly partitions: readonly PartitionAnswer[];
}

/** @throws MalformedBytes; what the code of the whole answer means. */
export function decodeFetch(payload: Buffer): FetchAnswer {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const code = reader.int16();
  if (code !== 0) throw errorOfCode(code, 'fetch');
  reader.int32();
  const partitions: PartitionAnswer[] = [];
  for (let topics = reader.int32(); topics > 0; topics -= 1) {
    const topic = reader.string();
    for (let left = reader.int32(); left > 0; left -= 1) partitions.push(readPartition(reader, topic));
  }
  return { payload, partitions };
}

function readPartition(reader: ProtocolReader, topic: string): PartitionAnswer {
  const partition = reader.int32();
  const errorCode = reader.int16();
  const highWatermark = reader.int64();
  const lastStableOffset = reader.int64();
  const logStartOffset = reader.int64();
  const aborted = reader.array(readAborted);
  const length = Math.max(0, reader.int32());
  const start = reader.advance(length);
  const end = start + length;
  return { topic, partition, errorCode, highWatermark, lastStableOffset, logStartOffset, aborted, start, end };
}

function readAborted(reader: ProtocolReader): AbortedTransaction {
  return { producerId: reader.int64(), firstOffset: reader.int64() };
}
