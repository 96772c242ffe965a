// IncrementalAlterConfigs v0 (KIP-339), which leaves alone what it does not name, and CreatePartitions v0.
import type { DurationMs } from '@flatline/base';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

const TOPIC = 2;
const SET = 0;

export interface TopicSettingsChange {
  readonly topic: string;
  /** By Kafka's names. */
  readonly settings: Readonly<Record<string, string>>;
}

export function alterConfigsRequest(changes: readonly TopicSettingsChange[]): KafkaRequest {
  const writer = new ProtocolWriter();
  writer.array(changes, ({ topic, settings }) => {
    writer.int8(TOPIC).string(topic);
    writer.array(Object.entries(settings), ([name, value]) => writer.string(name).int8(SET).string(value));
  });
  writer.bool(false);
  return {
    apiKey: ApiKey.incrementalAlterConfigs,
    apiVersion: 0,
    apiName: 'IncrementalAlterConfigs',
    body: writer.finish(),
  };
}

/** @throws as `errorOfCode`, with the broker's reason, where a topic could not be altered. */
export function decodeAlterConfigs(payload: Buffer): void {
  const reader = new ProtocolReader(payload);
  reader.int32();
  reader.array(() => {
    const code = reader.int16();
    const message = reader.nullableString();
    reader.int8();
    const topic = reader.string();
    if (code !== 0) throw errorOfCode(code, `alter the settings of topic ${topic}`, message);
  });
}

export interface TopicGrowth {
  readonly topic: string;
  /** How many it is to have. */
  readonly partitions: number;
}

export function createPartitionsRequest(growths: readonly TopicGrowth[], timeoutMs: DurationMs): KafkaRequest {
  const writer = new ProtocolWriter();
  writer.array(growths, ({ topic, partitions }) => {
    // No assignment of replicas by hand: null.
    writer.string(topic).int32(partitions).int32(-1);
  });
  writer.int32(timeoutMs).bool(false);
  return { apiKey: ApiKey.createPartitions, apiVersion: 0, apiName: 'CreatePartitions', body: writer.finish() };
}

/** @throws as `errorOfCode`, with the broker's reason. */
export function decodeCreatePartitions(payload: Buffer): void {
  const reader = new ProtocolReader(payload);
  reader.int32();
  reader.array(() => {
    const topic = reader.string();
    const code = reader.int16();
    const message = reader.nullableString();
    if (code !== 0) throw errorOfCode(code, `add partitions to topic ${topic}`, message);
  });
}
