import type { DurationMs, Millis } from '@flatline/base';

export type CloseReason = 'TIMEOUT' | 'ENDED' | 'MAX_DURATION' | 'EVICTED';

/** The occasion of a summary (S11): the session has opened, lives, or has ended. */
export type SessionState = 'OPENED' | 'UPDATED' | 'CLOSED';

/** A result of a reducer, as it is written: in the declared schema's Avro, and in JSON. */
export interface Reduced {
  readonly json: string;
  readonly avro: Uint8Array;
}

/** Summary of a session in the output topic (`schemas/session-summary.avsc`, docs/FORMATS.md). */
export interface SessionSummary {
  /** The key's bytes; formats show them as UTF-8 text. */
  readonly key: Uint8Array;
  /** `<partition>-<offset of the first record>`: with `revision` an idempotency key for good (O3). */
  readonly incarnation: string;
  /** Incarnations that it has absorbed (C7); undefined: none. */
  readonly absorbed?: readonly string[] | undefined;
  readonly revision: number;
  readonly state: SessionState;
  /** Empty: it lives. */
  readonly reason: CloseReason | '';
  /** An operator has ended it (Q4). undefined: none did. */
  readonly byOperator?: boolean | undefined;
  /** Event time of the earliest event. */
  readonly startedAt: Millis;
  /** Effective time of the last activity. */
  readonly lastSeenAt: Millis;
  /** Event time: the last sign of life so far, or the time of the explicit end. */
  readonly endedAt: Millis;
  readonly durationMs: DurationMs;
  readonly deadlineAt: Millis;
  /** Held time between the last activity and the end of its silence (C8); undefined: none. */
  readonly heldMs?: DurationMs | undefined;
  /** The due instant; for an explicit end, and while it lives, the partition clock at the record. */
  readonly closedAt: Millis;
  /** The only field that is not a function of the log (C5): this machine's wall clock when the close was decided. */
  readonly emittedAt: Millis;
  readonly timeoutMs: DurationMs;
  readonly eventCount: number;
  readonly duplicateCount: number;
  readonly outOfOrderCount: number;
  readonly lateCount: number;
  readonly missingCount: number;
  readonly countsByType: ReadonlyMap<string, number>;
  readonly attributes: ReadonlyMap<string, string>;
  /** Something was dropped for a limit (S10). */
  readonly truncated: boolean;
  /** More events came than `maxEvents`; those were taken as bare heartbeats (S13). */
  readonly capped: boolean;
  /** The reducer's result (S10); null: its `finish` threw; undefined: there is no reducer. */
  readonly reduced?: Reduced | null | undefined;
  readonly partition: number;
  readonly firstOffset: number;
  readonly lastOffset: number;
}
