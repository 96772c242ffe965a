// Requests to a partition of the simulated log, and their outcomes.
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
  /** Instead of records: a batch of this many that cannot be unpacked. */
  readonly unreadable?: number;
}

export interface PartitionEnds {
  readonly logStartOffset: number;
  readonly highWatermark: number;
  readonly lastStableOffset: number;
}

/** Where a log changes from one leader epoch, its greatest up to the one asked for, to a later one (KIP-101). */
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
  /** Time for which the deposed leader still answers the readers attached to it; `Infinity`: until they leave. */
  readonly deposedForMs?: DurationMs;
  /** An unclean election: everything from this offset on is lost, acknowledged or not. */
  readonly losesFrom?: number;
}
