// The port through which a task writes: one transactional writer per task, one Kafka transaction per commit.
import type { DurationMs, Millis } from '@flatline/base';
import type { RecordHeader, TopicPartition } from './log-reader.ts';

/** A record that has its writer's time. */
export interface UntimedRecord {
  readonly key: Uint8Array | null;
  /** null is a tombstone. */
  readonly value: Uint8Array | null;
  readonly headers?: readonly RecordHeader[];
  readonly timestamp?: never;
}

export interface OutgoingRecord extends Omit<UntimedRecord, 'timestamp'> {
  /** Producer's own timestamp; on LogAppendTime topics the broker's replaces it. Default: the writer's clock. */
  readonly timestamp?: Millis;
}

/** `PackedWrite`: as bytes already, for a writer that takes them so. */
export interface OutgoingRecords extends TopicPartition {
  /** In log order. The writer cuts them into produce batches below its byte limit. */
  readonly records: readonly OutgoingRecord[];
}

export interface GroupOffset extends TopicPartition {
  readonly group: string;
  readonly offset: number;
  readonly metadata: string;
}

/** The bytes of records may be written over once `commit` has resolved. */
export interface Transaction {
  readonly writes: readonly OutgoingRecords[];
  readonly offsets: readonly GroupOffset[];
}

/** The log offset of each record of each `writes` element, in the order given. */
export type WrittenOffsets = readonly (readonly number[])[];

/**
 * One producer epoch of one transactional id. It has one life: after the first error of any of its requests it is dead
 * (kafkajs 2), its transaction's outcome is unknown, and only a successor's InitProducerId ends it.
 */
export interface TransactionalWriter {
  /** After which the brokers abort a transaction by themselves. */
  readonly timeoutMs: DurationMs;
  /**
   * Writes everything in one transaction and commits it. Resolves only when the EndTxn answer said so.
   * @param answerMs how long a single request may go unanswered; default: `TransactionalWriters.timeoutMs`.
   * @throws Fenced, Retriable (outcome unknown: open a successor and look), PartitionStopped, Fatal. After any throw the writer is dead.
   */
  commit(transaction: Transaction, answerMs?: DurationMs): Promise<WrittenOffsets>;
  /** Idempotent. Leaves an open transaction as it is. */
  close(): Promise<void>;
}

export interface TransactionalWriters {
  /** The `timeoutMs` of a writer for which no other is asked. */
  readonly timeoutMs: DurationMs;
  /**
   * InitProducerId: ends what the id's former holder left open, and fences it. Of a longer `timeoutMs` the writer gets what
   * the brokers allow. @throws Retriable, Fatal.
   */
  open(transactionalId: string, timeoutMs?: DurationMs): Promise<TransactionalWriter>;
}

/** Appends outside any transaction, acks=all: clock records (C2). */
export interface ProofWriter {
  /**
   * Appends one clock record. `timestamp` undefined: the broker stamps it (LogAppendTime). `probe`: it is one, with this name (Q5).
   * @returns its offset; of one that had to be tried again, there may be another before it.
   * @throws Retriable, Fatal.
   */
  append(partition: TopicPartition, timestamp: Millis | undefined, probe?: string): Promise<number>;
}
