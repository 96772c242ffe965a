import type { Millis } from '@flatline/base';
import type { RecordHeader } from '@flatline/ports';
import type { ReceivedBatch } from '@flatline/records/batches';
import type { ReceivedLeaseEvent } from '@flatline/records/leases';
import type { ReceivedReceipt, ReceivedRun } from '@flatline/records/runs';
import type { ReceivedSummary } from '@flatline/records/summaries';

export interface AtPosition {
  readonly partition: number;
  readonly offset: number;
  /** The timestamp of the record in the output topic. */
  readonly timestamp: Millis;
}

/** A record as it lies on the topic: copies. */
export interface RawOutput extends AtPosition {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

/** A session has closed. `incarnation` and `revision` together name this summary for good (O3). */
export interface SummaryRecord extends AtPosition {
  readonly kind: 'summary';
  readonly summary: ReceivedSummary;
}

/** A session has opened, or is as `summary` says (S11), where the pipeline emits that; or it was revised, where only firsts are asked for. */
export interface UpdateRecord extends AtPosition {
  readonly kind: 'update';
  readonly summary: ReceivedSummary;
}

/** Outcome of a lease, or of a request for one. */
export interface LeaseEventRecord extends AtPosition {
  readonly kind: 'leaseEvent';
  readonly event: ReceivedLeaseEvent;
}

/** A window has fired: its items, or a part of them. */
export interface BatchRecord extends AtPosition {
  readonly kind: 'batch';
  readonly batch: ReceivedBatch;
}

/** A schedule is due. */
export interface RunRecord extends AtPosition {
  readonly kind: 'run';
  readonly run: ReceivedRun;
}

/** Outcome of a record that schedules, where the pipeline has `receipts`. */
export interface ReceiptRecord extends AtPosition {
  readonly kind: 'receipt';
  readonly key: Uint8Array;
  readonly receipt: ReceivedReceipt;
}

/** Nothing more will come for this incarnation (S9). */
export interface TombstoneRecord extends AtPosition {
  readonly kind: 'tombstone';
  readonly key: Uint8Array;
  /** undefined where another writer's tombstone names none. */
  readonly incarnation: string | undefined;
}

/** A record that is none of what is read: of another writer, or of a format that cannot be read here. */
export interface UnreadableRecord extends AtPosition {
  readonly kind: 'unreadable';
  readonly key: Uint8Array | null;
  /** A stable lower-case code, and words for a person. */
  readonly reason: string;
  readonly detail: string;
}

/** A record as read without a group from a topic of summaries, in the order of each partition. */
export type OutputRecord = SummaryRecord | UpdateRecord | TombstoneRecord | UnreadableRecord;
