// CreateTopics v4. Asked from the controller.
import type { DurationMs } from '@flatline/base';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

export interface NewTopic {
  readonly topic: string;
  readonly partitions: number;
  /** −1: the broker's default. */
  readonly replicationFactor: number;
  /** By Kafka's names: `{ 'message.timestamp.type': 'LogAppendTime' }`. */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface CreateTopicAnswer {
  readonly topic: string;
  readonly code: number;
  readonly message: string | null;
}

export function createTopicsRequest(topics: readonly NewTopic[], timeoutMs: DurationMs): KafkaRequest {
  const writer = new ProtocolWriter();
  writer.array(topics, ({ topic, partitions, replicationFactor, settings = {} }) => {
    // No assignment of replicas by hand.
    writer.string(topic).int32(partitions).int16(replicationFactor).int32(0);
    writer.array(Object.entries(settings), ([name, value]) => writer.string(name).string(value));
  });
  writer.int32(timeoutMs).bool(false);
  return { apiKey: ApiKey.createTopics, apiVersion: 4, apiName: 'CreateTopics', body: writer.finish() };
}

export function decodeCreateTopics(payload: Buffer): readonly CreateTopicAnswer[] {
  const reader = new ProtocolReader(payload);
  reader.int32();
  return reader.array((item) => ({ topic: item.string(), code: item.int16(), message: item.nullableString() }));
}
