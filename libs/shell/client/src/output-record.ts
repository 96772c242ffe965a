import type { Millis } from '@flatline/base';
import type { ReceivedSummary } from '@flatline/records';

interface AtPosition {
  readonly partition: number;
  readonly offset: number;
  /** The timestamp of the record in the output topic. */
  readonly timestamp: Millis;
}

/** A session has closed. `incarnation` and `revision` together name this summary for good (O3). */
export interface SummaryRecord extends AtPosition {
  readonly kind: 'summary';
  readonly summary: ReceivedSummary;
}

/** Nothing more will come for this incarnation (S9). */
export interface TombstoneRecord extends AtPosition {
  readonly kind: 'tombstone';
  readonly key: Uint8Array;
  /** undefined where another writer's tombstone names none. */
  readonly incarnation: string | undefined;
}

/** A record that is no summary: of another writer, or of a format that cannot be read here. */
export interface UnreadableRecord extends AtPosition {
  readonly kind: 'unreadable';
  readonly key: Uint8Array | null;
  /** A stable lower-case code, and words for a person. */
  readonly reason: string;
  readonly detail: string;
}

/** What a reader of an output topic gets, in the order of each partition. */
export type OutputRecord = SummaryRecord | TombstoneRecord | UnreadableRecord;
