import type { DurationMs } from '@flatline/base';

/** Bounds of a log reader. */
export interface ReaderLimits {
  /** How long a leader may hold a fetch for which it has nothing: bounds the age of `ends`. */
  readonly pollMs: DurationMs;
  /** The same for partitions that wait to join the poll under way: bounds how long they do. */
  readonly shortPollMs: DurationMs;
  /** Silence after which a leader's connection is given up and its partitions' leaders are searched for again. */
  readonly fetchTimeoutMs: DurationMs;
  /** Most bytes of one partition in one answer; a larger batch comes whole, alone. */
  readonly partitionFetchBytes: number;
  /** Most bytes of one answer. */
  readonly fetchBytes: number;
  /** Fetched and not yet taken, of one partition. */
  readonly partitionBufferBytes: number;
  /** The same of all partitions of readers that share their buffers (FB1); one with nothing buffered is fetched all the same. */
  readonly readerBufferBytes: number;
  /** How long a topic may be unknown to the brokers before its partitions stop. */
  readonly topicMissingMs: DurationMs;
  /**
   * How often to ask who leads, and whether the topics are still the same, whatever the fetches say. Each time another node
   * is asked: if one of n is cut off from the controllers, its answer is corrected within twice this time.
   */
  readonly metadataAgeMs: DurationMs;
  /** Between questions while a leader is in doubt. */
  readonly doubtMs: DurationMs;
  /** How many of them follow each doubt, each to another node. */
  readonly doubtQuestions: number;
}

const MIB = 1024 * 1024;

export const READER_LIMITS: ReaderLimits = {
  pollMs: 100,
  shortPollMs: 10,
  fetchTimeoutMs: 10_000,
  partitionFetchBytes: MIB,
  fetchBytes: 8 * MIB,
  partitionBufferBytes: 2 * MIB,
  readerBufferBytes: 64 * MIB,
  topicMissingMs: 10_000,
  metadataAgeMs: 10_000,
  doubtMs: 500,
  doubtQuestions: 3,
};
