// OffsetFetch v5: what a group has committed. Asked from the group's coordinator.
import type { CommittedOffset, TopicPartition } from '@flatline/ports';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

export function offsetFetchRequest(group: string, { topic, partition }: TopicPartition): KafkaRequest {
  const writer = new ProtocolWriter().string(group);
  writer.int32(1).string(topic).int32(1).int32(partition);
  return { apiKey: ApiKey.offsetFetch, apiVersion: 5, apiName: 'OffsetFetch', body: writer.finish() };
}

/** undefined where the group has committed none. */
export function decodeOffsetFetch(payload: Buffer, doing: string): CommittedOffset | undefined {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const partitions = reader.array(() => {
    reader.string();
    return reader.array(readPartition);
  });
  const groupCode = reader.int16();
  if (groupCode !== 0) throw errorOfCode(groupCode, doing);
  const answer = partitions.flat()[0];
  if (answer === undefined) return undefined;
  if (answer.code !== 0) throw errorOfCode(answer.code, doing);
  return answer.offset < 0 ? undefined : { offset: answer.offset, metadata: answer.metadata };
}

function readPartition(reader: ProtocolReader): CommittedOffset & { readonly code: number } {
  reader.int32();
  const offset = reader.int64();
  reader.int32();
  const metadata = reader.nullableString() ?? '';
  return { offset, metadata, code: reader.int16() };
}
