// The sink's view of the database: batches and positions, in one transaction, for whoever has claimed a partition last.
import type { BatchPart } from './sink-batch.ts';

export interface PartitionClaim {
  /** Greater than every former one's of the partition. */
  readonly epoch: string;
  /** Where to read on. */
  readonly nextOffset: number;
}

export interface WrittenBatch {
  readonly rows: number;
  /** Rows that were there already: an application that began again has said them before. */
  readonly repeated: number;
  /** Partitions that another has claimed since: nothing of them is written. */
  readonly fenced: readonly number[];
}

export interface SinkTarget {
  /**
   * Makes this process the one that may write a partition: a batch of a former one, under way, is written before, or never.
   * @param startAt where to begin if the database has no position
   */
  claim(partition: number, startAt: number): Promise<PartitionClaim>;
  /** Waits for a database that is away. @throws Misconfigured, PartitionStopped, or Retriable once it is to stop */
  write(parts: readonly BatchPart[]): Promise<WrittenBatch>;
  close(): Promise<void>;
}
