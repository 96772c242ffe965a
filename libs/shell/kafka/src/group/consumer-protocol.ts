// The envelopes in which groups of protocol type "consumer" put subscriptions and assignments (ConsumerProtocol, version 0),
// so that kafka-consumer-groups and lag exporters understand a Flatline group like any other.
import { MalformedBytes } from '@flatline/base';
import { ProtocolReader, ProtocolWriter } from '../connection/index.ts';

export const CONSUMER_PROTOCOL_TYPE = 'consumer';
const VERSION = 0;

export interface Subscription {
  readonly topics: readonly string[];
  readonly userData: Uint8Array | null;
}

export interface TopicAssignment {
  readonly topics: readonly string[];
  /** The same numbers in every topic: inputs are co-partitioned (S8). */
  readonly partitions: readonly number[];
  readonly userData: Uint8Array | null;
}

export function encodeSubscription({ topics, userData }: Subscription): Buffer {
  const writer = new ProtocolWriter().int16(VERSION);
  return writer
    .array(topics, (topic) => writer.string(topic))
    .bytes(userData)
    .finish();
}

/** Versions above 0 only append. @throws MalformedBytes. */
export function decodeSubscription(bytes: Buffer): Subscription {
  const reader = new ProtocolReader(bytes);
  reader.int16();
  return { topics: reader.array((item) => item.string()), userData: reader.nullableBytes() };
}

export function encodeAssignment({ topics, partitions, userData }: TopicAssignment): Buffer {
  const writer = new ProtocolWriter().int16(VERSION);
  return writer
    .array(topics, (topic) => writer.string(topic).array(partitions, (partition) => writer.int32(partition)))
    .bytes(userData)
    .finish();
}

/**
 * An empty buffer, which the broker hands to a member the leader did not know of, assigns nothing.
 * @throws MalformedBytes, also where the topics are assigned different partitions.
 */
export function decodeAssignment(bytes: Buffer): TopicAssignment {
  if (bytes.length === 0) return { topics: [], partitions: [], userData: null };
  const reader = new ProtocolReader(bytes);
  reader.int16();
  const assigned = reader.array((item) => ({ topic: item.string(), partitions: item.array((entry) => entry.int32()) }));
  const partitions = assigned[0]?.partitions ?? [];
  if (assigned.some((other) => other.partitions.join() !== partitions.join()))
    throw new MalformedBytes('an assignment of different partitions of co-partitioned topics');
  return { topics: assigned.map(({ topic }) => topic), partitions, userData: reader.nullableBytes() };
}
