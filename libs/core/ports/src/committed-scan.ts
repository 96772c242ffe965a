import type { RecordCursor, TopicPartition } from './log-reader.ts';

export interface LogBounds {
  readonly logStartOffset: number;
  /** Below it everything is decided. */
  readonly lastStableOffset: number;
  readonly highWatermark: number;
}

/** Reads a log to its end as of now, as far as it is committed. */
export interface CommittedScan {
  bounds(log: TopicPartition): Promise<LogBounds>;
  /** Some records from that of `offset` on, which is below the last stable offset. @throws PartitionStopped where it is gone. */
  read(log: TopicPartition, offset: number): Promise<{ readonly cursor: RecordCursor; readonly nextOffset: number }>;
}
