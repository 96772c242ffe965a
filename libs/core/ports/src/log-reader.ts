// The port through which tasks read a log: input, changelog, and (later) a standby's changelog.
//
// Records are read in place: the cursor is one mutable object that walks the bytes of a fetch answer, so a bare
// heartbeat makes no object, no string and no promise. What it exposes is valid until the next call of `next()`.
import type { DurationMs, Millis } from '@flatline/base';

export interface TopicPartition {
  readonly topic: string;
  readonly partition: number;
}

export interface RecordHeader {
  readonly name: string;
  /** null where the header carries no value. */
  readonly value: Uint8Array | null;
}

/**
 * Records in a group. Enough that the waits for memory of a dozen or more overlap; beyond 16 nothing is gained or lost.
 */
export const KEY_GROUP_MAX = 32;

/** Where some keys lie in the same bytes. At most KEY_GROUP_MAX. */
export interface KeySpans {
  readonly count: number;
  readonly starts: Int32Array;
  /** −1: a null key. */
  readonly lengths: Int32Array;
}

/**
 * Records of one batch that a cursor has unpacked together, in the order in which it shows them: their keys and values lie in
 * its `bytes`. Those at the cursor's place and after it may be looked at.
 */
export interface KeyGroup extends KeySpans {
  readonly valueStarts: Int32Array;
  /** −1: a null value. */
  readonly valueLengths: Int32Array;
  /**
   * Where the header section lies, as Kafka writes it (`headerSection`); from its end on it may hold anything. Empty, which no
   * section is: the headers do not lie in these bytes, and `headersOf` alone tells them.
   */
  readonly headersStarts: Int32Array;
  readonly headersEnds: Int32Array;
  /** Differences of offsets are differences of these. */
  readonly offsetDeltas: Int32Array;
}

/**
 * A batch, or what is left of one, that lies in the log as it was written (its checksum says so) and whose records cannot be
 * had all the same: they do not unpack, or to more than may be held (X6).
 */
export interface UnreadableBatch {
  /** I1: a stable code. */
  readonly reason: 'batch-too-large' | 'batch-unreadable';
  readonly detail: string;
  readonly lastOffset: number;
  /** From the cursor's offset to that one, as the batch's header says. */
  readonly records: number;
}

/** The headers of a group's records. */
export interface GroupHeaders {
  /** Headers of the record at `index`, the cursor's place or after it; as valid as the group. */
  headersOf(index: number): readonly RecordHeader[];
}

export interface RecordCursor extends GroupHeaders {
  /**
   * Moves to the next record; false when what was fetched is used up, and from then on `position` is its `nextOffset`.
   * Control batches, records of aborted transactions and records below the requested offset are passed over.
   * @throws PartitionStopped where a batch is damaged; what was shown before it is sound.
   */
  next(): boolean;
  /**
   * Set where the cursor stands on such a batch instead of a record: it has the offset of the first record that is not shown,
   * the batch's greatest timestamp, no key, no value and no headers. Readers that are not asked to pass over them throw.
   */
  readonly unreadable?: UnreadableBatch | undefined;
  /** The bytes `keyStart` and `valueStart` point into; may be another buffer for each batch. */
  readonly bytes: Uint8Array;
  readonly offset: number;
  /** The record's timestamp: the broker's append time where `logAppendTime`, else the producer's own. */
  readonly timestamp: Millis;
  readonly logAppendTime: boolean;
  readonly keyStart: number;
  /** −1: null key. */
  readonly keyLength: number;
  readonly valueStart: number;
  /** −1: null value. */
  readonly valueLength: number;
  /** True where the record has a header at all: `headers()` makes objects, so ask this first. */
  readonly hasHeaders: boolean;
  headers(): readonly RecordHeader[];
  /**
   * The group that the current record belongs to, and its place in it: a reader looks ahead at what the whole group will need,
   * and takes what follows from its columns. Where the cursor stands on a batch that is `unreadable`, it is empty.
   */
  readonly group: KeyGroup;
  readonly groupIndex: number;
  /** Moves on by `count` records within the group. */
  skip(count: number): void;
  /** Everything below this offset has been passed: the offset to record as applied, and to read on from. */
  readonly position: number;
  /** CRC-32C, partition leader epoch and greatest timestamp of the batch that holds `position − 1` (R3's fingerprint). */
  readonly batchChecksum: number;
  readonly batchLeaderEpoch: number;
  readonly batchTimestamp: Millis;
}

/** Ends of the log, from one answer of the leader. */
export interface LogEnds {
  readonly logStartOffset: number;
  readonly highWatermark: number;
  /** Below it everything is decided; `read_committed` reads end here. */
  readonly lastStableOffset: number;
  /** Monotonic time at which the answered request was sent. */
  readonly askedAtMs: DurationMs;
}

/** Consecutive batches of one partition out of one fetch answer. */
export interface FetchedRecords {
  readonly cursor: RecordCursor;
  /** The offset after the last of these batches. */
  readonly nextOffset: number;
  readonly byteLength: number;
  /** Monotonic time at which the answer arrived. */
  readonly receivedAtMs: DurationMs;
}

/** Obstacle that keeps a log from being read. */
export interface ReadObstacle {
  /** Shown to the operator (X5). */
  readonly what: string;
  /** Monotonic. */
  readonly sinceMs: DurationMs;
}

/** One partition being read, in offset order, without gaps. Prefetches up to a named maximum of bytes. */
export interface LogSubscription {
  readonly partition: TopicPartition;
  /** The next records, or undefined where none have arrived. Taking them frees their room in the buffer. */
  take(): FetchedRecords | undefined;
  /** The ends as of the newest answer, undefined before the first. */
  readonly ends: LogEnds | undefined;
  /**
   * Set once: PartitionStopped (R3: out of range, topic gone, acknowledged records lost or replaced by an election),
   * Retriable, Fatal. What arrived before it can still be taken, but for what is of a log that was replaced; no more come.
   */
  readonly failure: Error | undefined;
  /**
   * Obstacle to its next records, other than their not being written yet; undefined while its leader answers, and once it has
   * failed.
   */
  readonly obstacle: ReadObstacle | undefined;
  /** Called after `take()` would give something new, `ends` has changed or `failure` was set. One listener; undefined removes it. */
  onChange(listener: (() => void) | undefined): void;
  /**
   * Casts doubt on the leader's answers: a deposed leader may still answer. Several nodes are soon asked who leads, and a leader
   * of a later epoch is read from instead. They are also asked now and then in any case. Cheap; may be called often.
   */
  lookAgain(): void;
  close(): void;
}

/** Reads committed records only, by its own filter (kafkajs' leaks aborted records). */
export interface LogReader {
  /**
   * Reads `partition` from `offset` on. An offset outside the log is a failure of the subscription, never a reset.
   *
   * `readEpoch` is the leader epoch of the batch that holds `offset − 1`, where that is known (negative: it is not). A leader
   * of a later epoch than what was read, at the beginning or at any time afterwards, is read from only once its log is known
   * to hold that batch (KIP-320); one that does not is a failure, PartitionStopped (R3).
   *
   * `topicId`, where it is known, is the topic's: one that is made again under its name is another topic, and a failure,
   * PartitionStopped; nothing of it is shown. By default the topic is the one that has the name when it is first looked for.
   */
  subscribe(partition: TopicPartition, offset: number, readEpoch?: number, topicId?: string): LogSubscription;
  close(): Promise<void>;
}
