// DescribeConfigs v2, for topics. Any node answers.
import { Fatal } from '@flatline/base';
import { errorOfCode } from '../connection/foreign-errors.ts';
import { KafkaCode } from '../connection/kafka-error-codes.ts';
import { ApiKey, type KafkaRequest } from '../connection/kafka-request.ts';
import { ProtocolReader, ProtocolWriter } from '../connection/protocol-bytes.ts';

const TOPIC = 2;

/** Setting → value as the broker writes it. */
export type TopicSettings = ReadonlyMap<string, string>;

export function describeConfigsRequest(topics: readonly string[], settings: readonly string[]): KafkaRequest {
  const writer = new ProtocolWriter();
  writer.array(topics, (topic) => {
    writer.int8(TOPIC).string(topic);
    writer.array(settings, (setting) => writer.string(setting));
  });
  writer.bool(false);
  return { apiKey: ApiKey.describeConfigs, apiVersion: 2, apiName: 'DescribeConfigs', body: writer.finish() };
}

/** By topic. @throws Fatal where this principal may not ask, Retriable where the topic is gone. */
export function decodeDescribeConfigs(payload: Buffer): ReadonlyMap<string, TopicSettings> {
  const reader = new ProtocolReader(payload);
  reader.int32();
  return new Map(reader.array(readTopic));
}

function readTopic(reader: ProtocolReader): [string, TopicSettings] {
  const code = reader.int16();
  const message = reader.nullableString();
  reader.int8();
  const topic = reader.string();
  const settings = reader.array(readSetting);
  if (code === KafkaCode.topicAuthorizationFailed)
    throw new Fatal(`cannot read the settings of topic ${topic}: grant this principal DESCRIBE_CONFIGS on it`);
  if (code !== 0) throw errorOfCode(code, `read the settings of topic ${topic}`, message);
  return [topic, new Map(settings)];
}

function readSetting(reader: ProtocolReader): [string, string] {
  const name = reader.string();
  const value = reader.nullableString() ?? '';
  reader.bool();
  reader.int8();
  reader.bool();
  reader.array(() => {
    reader.string();
    reader.nullableString();
    reader.int8();
  });
  return [name, value];
}
