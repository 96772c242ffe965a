// A delivery, and the decisions about it.
import type { DurationMs, Millis } from '@flatline/base';
import type { Breaker } from './breaker.ts';

/** An attempt that failed. */
export interface Attempt {
  readonly at: Millis;
  readonly ms: DurationMs;
  /** The answer's, where there was one. */
  readonly status?: number;
  /** Beginning of the answer. */
  readonly answer?: string;
  /** In words, where there was none. */
  readonly error?: string;
}

/** Names a delivery: an output has one to each endpoint. */
export interface DeliveryName {
  readonly endpoint: string;
  /** The output's own, for good (N1). */
  readonly id: string;
}

export interface DeliveryMark extends DeliveryName {
  /** The output's key, in any form that tells keys apart. */
  readonly key: string;
  /** Greater for the later one of a key's outputs. */
  readonly order: number;
}

export interface Delivery extends DeliveryMark {
  readonly type: string;
  readonly body: Uint8Array;
  /** Attempts that failed. */
  readonly attempts: readonly Attempt[];
  /** Since when no owner that met it has known its endpoint. Default: the endpoint is known. */
  readonly strandedAt?: Millis | undefined;
}

/** Why a delivery is given up. */
export type GivenUp = 'attempts' | 'gone' | 'disabled' | 'no-endpoint' | 'too-many-waiting' | 'too-large';

/**
 * `held`: in the memory of whoever wrote it, to be attempted or under way; at `dueAt` it would come again by itself.
 * `waiting`: for `dueAt`. `behind`: for another of its key.
 */
export type Phase = 'held' | 'waiting' | 'behind';

/** Records to write, in the order given. */
export type Write =
  | { readonly kind: 'keep'; readonly delivery: Delivery; readonly phase: Phase; readonly dueAt: Millis }
  | { readonly kind: 'drop'; readonly name: DeliveryName }
  /** It is kept, and comes again at once. */
  | { readonly kind: 'wake'; readonly name: DeliveryName }
  | { readonly kind: 'giveUp'; readonly delivery: Delivery; readonly why: GivenUp }
  | { readonly kind: 'breaker'; readonly endpoint: string; readonly breaker: Breaker };

export type Outcome =
  | { readonly kind: 'delivered' }
  | {
      readonly kind: 'failed';
      readonly attempt: Attempt;
      /** As the endpoint asks. */
      readonly retryAfterMs?: DurationMs | undefined;
      /** It wants nothing more (410). */
      readonly gone?: boolean;
    };
