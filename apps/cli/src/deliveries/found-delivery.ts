import type { Breaker, Delivery, Phase } from '@flatline/deliveries';

/** A delivery that waits, or one that was given up. */
export interface FoundDelivery {
  readonly pipeline: string;
  readonly partition: number;
  readonly delivery: Delivery;
  readonly state: Phase | 'undeliverable';
  /** When it comes again, or was given up, in milliseconds since the epoch. */
  readonly at: number;
  /** Why it was given up. */
  readonly why?: string | undefined;
  /** Where the record of what was given up lies in its partition. */
  readonly offset?: number;
  /** True if a replay has sent it again since it was given up. */
  readonly isReplayed?: boolean;
}

export interface FoundBreaker {
  readonly pipeline: string;
  readonly partition: number;
  readonly endpoint: string;
  readonly breaker: Breaker;
}

export type Found = FoundDelivery | FoundBreaker;
