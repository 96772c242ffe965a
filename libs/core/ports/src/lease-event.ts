import type { DurationMs, Millis } from '@flatline/base';

export type LeaseEventType = 'GRANTED' | 'REJECTED' | 'QUEUED' | 'EXPIRED' | 'RELEASED';

/** Why a request was `REJECTED`, or a lease has `EXPIRED`. */
export type LeaseReason =
  | 'HELD'
  | 'NOT_HELD'
  | 'WRONG_TOKEN'
  | 'LOCK_DELAY'
  | 'QUEUE_FULL'
  | 'WAITED'
  | 'WITHDRAWN'
  | 'TIMEOUT'
  | 'MAX_DURATION'
  | 'REPLACED'
  | 'EVICTED';

/** Output event of a lease (`schemas/lease-event.avsc`): a function of the input, all of it. */
export interface LeaseEvent {
  readonly key: Uint8Array;
  readonly type: LeaseEventType;
  /** In a `REJECTED` the one that was of no use, where there was one. */
  readonly token: number | undefined;
  readonly requestId: string | undefined;
  readonly reason: LeaseReason | undefined;
  /** An operator has released it (Q4); undefined: none did. */
  readonly byOperator?: boolean | undefined;
  /** Attributes of the lease that is in the way; undefined where none is. */
  readonly holder: ReadonlyMap<string, string> | undefined;
  readonly retryAt: Millis | undefined;
  readonly timeoutMs: DurationMs | undefined;
  readonly grantedAt: Millis | undefined;
  readonly deadlineAt: Millis | undefined;
  /** As of when: the partition clock at the record answered, or the due instant. */
  readonly at: Millis;
  readonly renewals: number | undefined;
  /** When a lease that is `GRANTED` ends however often it is renewed; undefined: never. */
  readonly endsAt: Millis | undefined;
  /** Time since the last renewal that no deadline counted (C8), of a lease that has `EXPIRED`; undefined: none. */
  readonly heldMs: DurationMs | undefined;
  /** Attributes of the request that is granted or refused, or of the lease that has ended. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly partition: number;
  /** Offset of the record answered; undefined where time brought the event about. */
  readonly offset: number | undefined;
}
