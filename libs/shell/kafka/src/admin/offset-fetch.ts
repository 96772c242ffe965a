// OffsetFetch v5: what a group has committed. Asked from the group's coordinator.
import type { CommittedOffset } from '@flatline/ports';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

export function offsetFetchRequest(group: string, topic: string, partitions: readonly number[]): KafkaRequest {
  const writer = new ProtocolWriter().string(group);
  writer
    .int32(1)
    .string(topic)
    .array(partitions, (partition) => {
      writer.int32(partition);
    });
  return { apiKey: ApiKey.offsetFetch, apiVersion: 5, apiName: 'OffsetFetch', body: writer.finish() };
}

/** Asks for all topics in which the group has committed offsets. */
export function allOffsetsRequest(group: string): KafkaRequest {
  const body = new ProtocolWriter().string(group).int32(-1).finish();
  return { apiKey: ApiKey.offsetFetch, apiVersion: 5, apiName: 'OffsetFetch', body };
}

/** The topics that an answer to `allOffsetsRequest` names: those with a committed offset. */
export function decodeCommittedTopics(payload: Buffer, doing: string): ReadonlySet<string> {
  return new Set(readTopics(payload, doing).map(({ topic }) => topic));
}

/** Metadata of each offset in an answer to `allOffsetsRequest`. */
export function decodeNotes(payload: Buffer, doing: string): readonly string[] {
  return readTopics(payload, doing).flatMap(({ partitions }) => partitions.map(({ metadata }) => metadata));
}

/** undefined where the group has committed none. */
export function decodeOffsetFetch(payload: Buffer, doing: string): CommittedOffset | undefined {
  const answer = readTopics(payload, doing)[0]?.partitions[0];
  if (answer === undefined) return undefined;
  if (answer.code !== 0) throw errorOfCode(answer.code, doing);
  return answer.offset < 0 ? undefined : { offset: answer.offset, metadata: answer.metadata };
}

/** By partition of the topic that was asked for; those in which the group has committed none are left out. */
export function decodeOffsetsOf(payload: Buffer, doing: string): ReadonlyMap<number, number> {
  const offsets = new Map<number, number>();
  for (const { partition, code, offset } of readTopics(payload, doing).flatMap(({ partitions }) => partitions)) {
    if (code !== 0) throw errorOfCode(code, doing);
    if (offset >= 0) offsets.set(partition, offset);
  }
  return offsets;
}

interface PartitionOffset extends CommittedOffset {
  readonly partition: number;
  readonly code: number;
}

function readTopics(
  payload: Buffer,
  doing: string,
): readonly { readonly topic: string; readonly partitions: readonly PartitionOffset[] }[] {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const topics = reader.array(() => ({ topic: reader.string(), partitions: reader.array(readPartition) }));
  const groupCode = reader.int16();
  if (groupCode !== 0) throw errorOfCode(groupCode, doing);
  return topics;
}

function readPartition(reader: ProtocolReader): PartitionOffset {
  const partition = reader.int32();
  const offset = reader.int64();
  reader.int32();
  const metadata = reader.nullableString() ?? '';
  return { partition, offset, metadata, code: reader.int16() };
}
