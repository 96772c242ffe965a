// DeleteRecords v1: moves a log's start. Asked from the partition's leader.
import type { DurationMs } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

export function deleteRecordsRequest(
  { topic, partition }: TopicPartition,
  offset: number,
  timeoutMs: DurationMs,
): KafkaRequest {
  const writer = new ProtocolWriter().int32(1).string(topic).int32(1).int32(partition).int64(offset).int32(timeoutMs);
  return { apiKey: ApiKey.deleteRecords, apiVersion: 1, apiName: 'DeleteRecords', body: writer.finish() };
}

export function decodeDeleteRecords(payload: Buffer, doing: string): void {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const codes = reader.array(() => {
    reader.string();
    return reader.array(() => {
      reader.int32();
      reader.int64();
      return reader.int16();
    });
  });
  const code = codes.flat()[0] ?? KafkaCode.unknownTopicOrPartition;
  if (code !== KafkaCode.none) throw errorOfCode(code, doing);
}
