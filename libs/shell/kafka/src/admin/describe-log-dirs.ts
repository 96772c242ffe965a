// DescribeLogDirs v1 (KIP-113): bytes of a partition's log on the node that is asked.
import type { TopicPartition } from '@flatline/ports';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import type { KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

const DESCRIBE_LOG_DIRS = 35;

export function describeLogDirsRequest({ topic, partition }: TopicPartition): KafkaRequest {
  const writer = new ProtocolWriter();
  writer.array([topic], (name) => {
    writer.string(name);
    writer.array([partition], (number) => writer.int32(number));
  });
  return { apiKey: DESCRIBE_LOG_DIRS, apiVersion: 1, apiName: 'DescribeLogDirs', body: writer.finish() };
}

/** The largest where one is being moved to another directory; 0 where the node may not say. @throws Retriable, Fatal. */
export function decodeDescribeLogDirs(payload: Buffer, doing: string): number {
  const reader = new ProtocolReader(payload);
  reader.int32();
  const directories = reader.array(() => {
    const code = reader.int16();
    reader.string();
    const topics = reader.array(() => {
      reader.string();
      return reader.array(readBytes);
    });
    // A directory that is offline holds no leader's log.
    if (code !== KafkaCode.none && code !== KafkaCode.kafkaStorageError) throw errorOfCode(code, doing);
    return topics.flat();
  });
  return Math.max(0, ...directories.flat());
}

function readBytes(reader: ProtocolReader): number {
  reader.int32();
  const bytes = reader.int64();
  reader.int64(); // offsets behind
  reader.bool(); // being moved here
  return bytes;
}
