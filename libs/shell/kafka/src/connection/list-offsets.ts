// ListOffsets v5: where a log begins and ends, from its leader and only from it (a current leader epoch goes along).
import type { Millis } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import { errorOfCode } from './foreign-errors.ts';
import type { KafkaConnection, Leader } from './kafka-connection.ts';
import { ApiKey, type KafkaRequest } from './kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from './protocol-bytes.ts';

/**
 * `end` is the high watermark; `stableEnd` the last stable offset, below which everything is decided; an instant gives the
 * first record below that which is stamped at or past it.
 */
export type LogPlace = 'start' | 'end' | 'stableEnd' | { readonly timestamp: Millis };

/** The broker's answer where no record is stamped at or past the instant. */
export const NO_OFFSET = -1;

const EARLIEST = -2;
const LATEST = -1;
const READ_UNCOMMITTED = 0;
const READ_COMMITTED = 1;
const NO_REPLICA = -1;

/** @throws Retriable, also where the leader is not yet sure of its end (OFFSET_NOT_AVAILABLE); Fatal. */
export async function listOffset(
  connection: KafkaConnection,
  { topic, partition }: TopicPartition,
  { nodeId, leaderEpoch }: Leader,
  place: LogPlace,
): Promise<number> {
  const offsets = await listOffsets(connection, nodeId, { topic, partitions: [{ partition, leaderEpoch }] }, place);
  return offsets.get(partition)!;
}

/** Partitions of one topic that one node leads. */
export interface LedPartitions {
  readonly topic: string;
  readonly partitions: readonly { readonly partition: number; readonly leaderEpoch: number }[];
}

/** By partition, in one request. @throws as `listOffset`, where it does for any of them. */
export function listOffsets(
  connection: KafkaConnection,
  nodeId: number,
  led: LedPartitions,
  place: LogPlace,
): Promise<ReadonlyMap<number, number>> {
  const what = typeof place === 'string' ? place : `offset at ${place.timestamp}`;
  const doing = (partition: number): string => `read the ${what} of ${led.topic}-${partition}`;
  return connection.send(nodeId, listOffsetsRequest(led, place), (payload) => decodeListOffsets(payload, led, doing), {
    doing: doing(led.partitions[0]!.partition),
  });
}

function listOffsetsRequest({ topic, partitions }: LedPartitions, place: LogPlace): KafkaRequest {
  const isCommitted = place !== 'start' && place !== 'end';
  const writer = new ProtocolWriter().int32(NO_REPLICA).int8(isCommitted ? READ_COMMITTED : READ_UNCOMMITTED);
  writer.array([topic], (name) => {
    writer.string(name).array(partitions, ({ partition, leaderEpoch }) => {
      writer.int32(partition).int32(leaderEpoch).int64(timestampOf(place));
    });
  });
  return { apiKey: ApiKey.listOffsets, apiVersion: 5, apiName: 'ListOffsets', body: writer.finish() };
}

function timestampOf(place: LogPlace): number {
  if (typeof place === 'object') return place.timestamp;
  return place === 'start' ? EARLIEST : LATEST;
}

function decodeListOffsets(
  payload: Buffer,
  { partitions }: LedPartitions,
  doing: (partition: number) => string,
): ReadonlyMap<number, number> {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const answers = reader.array(() => {
    reader.string();
    return reader.array(() => {
      const partition = reader.int32();
      const code = reader.int16();
      reader.int64();
      const offset = reader.int64();
      reader.int32();
      return { partition, code, offset };
    });
  });
  const offsets = new Map<number, number>();
  for (const { partition, code, offset } of answers.flat()) {
    if (code !== 0) throw errorOfCode(code, doing(partition));
    offsets.set(partition, offset);
  }
  for (const { partition } of partitions)
    if (!offsets.has(partition)) throw errorOfCode(-1, doing(partition), 'the partition is not in the answer');
  return offsets;
}
