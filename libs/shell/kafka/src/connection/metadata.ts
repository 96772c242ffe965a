// Metadata v12: nodes, and per topic its id and the leader of each partition. kafkajs speaks v6, which has no topic ids
// (kafkajs 24), and throws away the whole answer for one topic's error.
import { ApiKey, type KafkaRequest } from './kafka-request.ts';
import type { BrokerAddress } from './kafka-options.ts';
import { ProtocolReader, ProtocolWriter } from './protocol-bytes.ts';

export interface NodeAddress extends BrokerAddress {
  readonly nodeId: number;
}

export interface PartitionMetadata {
  readonly partition: number;
  /** 0, or why there is no leader to name. */
  readonly errorCode: number;
  /** −1: none at the moment. */
  readonly leader: number;
  readonly leaderEpoch: number;
  readonly replicas: readonly number[];
  readonly inSyncReplicas: readonly number[];
}

/** Right of a principal on a topic, in the words of Kafka's ACLs; those that matter here. */
export type TopicRight = 'READ' | 'WRITE' | 'DELETE' | 'DESCRIBE' | 'DESCRIBE_CONFIGS';

export interface TopicMetadata {
  readonly topic: string;
  /** 0; 3 where the topic does not exist, 29 where this principal may not see it. */
  readonly errorCode: number;
  /** 32 hexadecimal digits; changes when the topic is deleted and created again. */
  readonly topicId: string;
  /** By partition number. */
  readonly partitions: readonly PartitionMetadata[];
  /** undefined where it was not asked for, or the broker does not say. */
  readonly rights: ReadonlySet<TopicRight> | undefined;
}

export interface ClusterMetadata {
  readonly clusterId: string | null;
  /** −1: unknown to the node that answered. */
  readonly controllerId: number;
  readonly nodes: readonly NodeAddress[];
  readonly topics: readonly TopicMetadata[];
}

/** No topics asked for: the answer holds nodes only. Topics are never created by asking. `withRights`: KIP-430. */
export function metadataRequest(topics: readonly string[] | 'all', withRights = false): KafkaRequest {
  const writer = new ProtocolWriter().noTags();
  // The null array stands for all.
  if (topics === 'all') writer.uvarint(0);
  else writer.compactArray(topics, (topic) => writer.raw(NO_TOPIC_ID).compactString(topic).noTags());
  writer.bool(false).bool(withRights).noTags();
  return { apiKey: ApiKey.metadata, apiVersion: 12, apiName: 'Metadata', body: writer.finish() };
}

const NO_TOPIC_ID = new Uint8Array(16);

export function decodeMetadata(payload: Buffer): ClusterMetadata {
  const reader = new ProtocolReader(payload);
  reader.skipTags();
  reader.int32();
  const nodes = reader.compactArray(readNode);
  const clusterId = reader.compactNullableString();
  const controllerId = reader.int32();
  const topics = reader.compactArray(readTopic);
  return { clusterId, controllerId, nodes, topics };
}

function readNode(reader: ProtocolReader): NodeAddress {
  const node = { nodeId: reader.int32(), host: reader.compactString(), port: reader.int32() };
  reader.compactNullableString();
  reader.skipTags();
  return node;
}

function readTopic(reader: ProtocolReader): TopicMetadata {
  const errorCode = reader.int16();
  const topic = reader.compactString();
  const topicId = reader.uuid();
  reader.bool();
  const partitions = reader.compactArray(readPartition).sort((a, b) => a.partition - b.partition);
  const rights = rightsIn(reader.int32());
  reader.skipTags();
  return { topic, errorCode, topicId, partitions, rights };
}

/** Bits of AclOperation. */
const RIGHT_BITS: readonly (readonly [TopicRight, number])[] = [
  ['READ', 3],
  ['WRITE', 4],
  ['DELETE', 6],
  ['DESCRIBE', 8],
  ['DESCRIBE_CONFIGS', 10],
];
const NOT_SAID = -(2 ** 31);

function rightsIn(bits: number): ReadonlySet<TopicRight> | undefined {
  if (bits === NOT_SAID) return undefined;
  return new Set(RIGHT_BITS.filter(([, bit]) => (bits & (1 << bit)) !== 0).map(([right]) => right));
}

function readPartition(reader: ProtocolReader): PartitionMetadata {
  const errorCode = reader.int16();
  const partition = reader.int32();
  const leader = reader.int32();
  const leaderEpoch = reader.int32();
  const replicas = reader.compactArray((item) => item.int32());
  const inSyncReplicas = reader.compactArray((item) => item.int32());
  reader.compactArray((item) => item.int32());
  reader.skipTags();
  return { partition, errorCode, leader, leaderEpoch, replicas, inSyncReplicas };
}
