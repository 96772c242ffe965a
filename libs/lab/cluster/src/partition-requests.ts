// What is asked of a partition of the simulated log, and what comes of it.
import type { DurationMs } from '@flatline/base';
import type { OutgoingRecord } from '@flatline/ports';
import type { BatchProducer, Marker } from './log-batch.ts';

export type TimestampType = 'LogAppendTime' | 'CreateTime';

export type AppendOutcome =
  | { readonly kind: 'acked'; readonly baseOffset: number }
  /** The leader changed first: the batch may be in the log or not. */
  | { readonly kind: 'leaderChanged' }
  | { readonly kind: 'fencedEpoch' | 'outOfOrderSequence' };

export interface AppendRequest {
  readonly records: readonly OutgoingRecord[];
  readonly producer?: BatchProducer;
  readonly marker?: Marker;
  /** Instead of records: a batch of so many that cannot be unpacked. */
  readonly unreadable?: number;
}

export interface PartitionEnds {
  readonly logStartOffset: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
}

/** Where a log goes over from a leader epoch, the greatest it holds up to the one asked for, to a later one (KIP-101). */
export interface EpochEnd {
  readonly leaderEpoch: number;
  readonly endOffset: number;
}

/** One DeleteRecords that removed something. */
export interface Truncation {
  readonly offset: number;
  /** Virtual time. */
  readonly atMs: DurationMs;
}

export interface LeaderChange {
  /** The new leader's broker clock against true time. */
  readonly skewMs?: DurationMs;
  /** How long the deposed leader still answers readers that were attached to it; `Infinity`: until they leave it. */
  readonly deposedForMs?: DurationMs;
  /** An unclean election: everything from this offset on is gone, acknowledged or not. */
  readonly losesFrom?: number;
}
