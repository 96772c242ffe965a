// Questions and orders about logs that are neither reading nor writing records.
import type { TopicPartition } from './log-reader.ts';

export interface LogAdmin {
  /** The group's committed offset, or undefined where it has none. */
  committedOffset(group: string, partition: TopicPartition): Promise<number | undefined>;
  /** First offset present and the offset after the last decided record, from the leader. */
  ends(partition: TopicPartition): Promise<{ readonly logStartOffset: number; readonly lastStableOffset: number }>;
  /** Deletes all records below `offset` (DeleteRecords). */
  truncate(partition: TopicPartition, offset: number): Promise<void>;
}
