// Questions and orders about logs that are neither reading nor writing records.
import type { Millis } from '@flatline/base';
import type { TopicPartition } from './log-reader.ts';

/** By which a batch is recognised (R3): its CRC-32C, partition leader epoch and greatest timestamp. */
export interface BatchFingerprint {
  readonly checksum: number;
  readonly leaderEpoch: number;
  readonly batchTimestamp: Millis;
}

export interface CommittedOffset {
  readonly offset: number;
  /** Metadata committed with it, for our own use (GroupOffset). */
  readonly metadata: string;
}

/** A transaction that has not ended, as the partition's leader knows it. */
export interface OpenTransaction {
  readonly producerId: number;
  readonly producerEpoch: number;
  /** Offset of its first record in the partition. */
  readonly firstOffset: number;
}

export interface PresentTopic {
  /** 0: it is not there, or not known. */
  readonly partitions: number;
  /** Another one once it was deleted and made again. undefined: it is not there, or the cluster gives topics no ids. */
  readonly topicId: string | undefined;
}

export interface LogAdmin {
  /** The group's committed offset, or undefined where it has none. */
  committedOffset(group: string, partition: TopicPartition): Promise<CommittedOffset | undefined>;
  /** First offset present and the offset after the last decided record, from the leader. */
  ends(partition: TopicPartition): Promise<{ readonly logStartOffset: number; readonly lastStableOffset: number }>;
  /** The topic as it is now. @throws Retriable, Fatal */
  presentTopic(topic: string): Promise<PresentTopic>;
  /** The node that leads it and its address, in words, as known here; asks only where it is not. @throws Retriable, Fatal */
  leaderName(partition: TopicPartition): Promise<string>;
  /**
   * Says that an answer is wrong unless the node that gave it no longer leads: the next question goes to the leader that
   * another node names, where there is one.
   */
  doubtLeader(partition: TopicPartition): void;
  /**
   * The first offset of a record stamped at or past `timestamp`; undefined where there is none below the last stable offset.
   * From the leader. Where stamps are out of order, earlier ones may come after it.
   */
  offsetAt(partition: TopicPartition, timestamp: Millis): Promise<number | undefined>;
  /**
   * The offset after the last record that is replicated, decided or not, by the leader's own answer to a request sent after
   * this call. At least what was acknowledged before: a new leader that does not know this yet is asked again (KIP-207).
   * @throws Retriable, PartitionStopped, Fatal
   */
  replicatedEnd(partition: TopicPartition): Promise<number>;
  /**
   * The fingerprint of the batch that holds `offset`, whatever it is (data, aborted, control); undefined where the log
   * no longer or not yet holds that offset. Asked from the leader.
   */
  fingerprintAt(partition: TopicPartition, offset: number): Promise<BatchFingerprint | undefined>;
  /** The transactions that have not ended (DescribeProducers, KIP-664). @throws Retriable, Fatal where this is not permitted */
  openTransactions(partition: TopicPartition): Promise<readonly OpenTransaction[]>;
  /** Deletes all records below `offset` (DeleteRecords). */
  truncate(partition: TopicPartition, offset: number): Promise<void>;
}
