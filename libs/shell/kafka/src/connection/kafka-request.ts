import type { DurationMs } from '@flatline/base';

/** One request of the Kafka protocol. For flexible versions (KIP-482) `body` begins with the header's tag section. */
export interface KafkaRequest {
  readonly apiKey: number;
  readonly apiVersion: number;
  readonly apiName: string;
  /** Or its parts, in order: record batches are sent without being joined. They must not be written to afterwards. */
  readonly body: Buffer | readonly Uint8Array[];
}

/**
 * A broker answers the requests of one connection in order. Requests that it may keep waiting (a long-poll fetch,
 * JoinGroup, SyncGroup) use `waiting`, all others `prompt`, which is another connection.
 */
export type Lane = 'prompt' | 'waiting';

export interface SendOptions {
  /** Default `prompt`. */
  readonly lane?: Lane;
  /** Default: the connection's `requestTimeoutMs`. */
  readonly timeoutMs?: DurationMs;
  /** For error messages, after "cannot": "fetch visits-3". Default: `send <apiName>`. */
  readonly doing?: string;
}

/** Decodes the payload of an answer, without its size and correlation id. @throws MalformedBytes. */
export type AnswerDecoder<T> = (payload: Buffer) => T;

/** KIP-896: what the protocol calls its requests. */
export const ApiKey = {
  produce: 0,
  fetch: 1,
  listOffsets: 2,
  metadata: 3,
  offsetCommit: 8,
  offsetFetch: 9,
  findCoordinator: 10,
  joinGroup: 11,
  heartbeat: 12,
  leaveGroup: 13,
  syncGroup: 14,
  describeGroups: 15,
  listGroups: 16,
  apiVersions: 18,
  createTopics: 19,
  deleteTopics: 20,
  deleteRecords: 21,
  initProducerId: 22,
  offsetForLeaderEpoch: 23,
  addPartitionsToTxn: 24,
  addOffsetsToTxn: 25,
  endTxn: 26,
  txnOffsetCommit: 28,
  describeConfigs: 32,
  createPartitions: 37,
  deleteGroups: 42,
  incrementalAlterConfigs: 44,
} as const;
