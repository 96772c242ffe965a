// Consequences of an attempt's end: decided here, done by the worker.
import type { DurationMs, Millis } from '@flatline/base';
import { type Duration, durationMs } from './check-times.ts';

export interface TaskRetries {
  /** Attempts at a task, the first included: after the last it is poison. An attempt has failed, too, once its lease was lost so often. Default 5. */
  readonly attempts?: number;
  /** Pause after the first failed attempt, doubled after each further one: '10s', or milliseconds. Default 10 000. */
  readonly firstMs?: Duration;
  /** The longest pause: '1h', or milliseconds. Default 3 600 000. */
  readonly mostMs?: Duration;
  /**
   * The input topic of the schedule pipeline whose runs these are: what is tried again waits there, and keeps no worker. Default: none,
   * and the worker itself waits, with what is behind it in its partition.
   */
  readonly schedules?: string;
}

/** How an attempt ended. */
export type Attempted =
  | { readonly kind: 'done'; readonly result: unknown; readonly token: number | undefined }
  | { readonly kind: 'failed'; readonly error: unknown; readonly token: number | undefined }
  /** Its lease is over before it was done: nothing is known of it, and it is begun again, under another. `error` says why. */
  | { readonly kind: 'lost'; readonly error: unknown; readonly token: number | undefined }
  /** Its outcome was recorded before, by this worker or another. */
  | { readonly kind: 'finished' }
  /** A worker that has ended since had failed at it, and waited to try again: this attempt comes next, and not before that. */
  | { readonly kind: 'failedBefore'; readonly attempt: number; readonly retryAt: Millis }
  /** The worker ends: whoever goes on begins it again. */
  | { readonly kind: 'ended' };

export type Next = { readonly kind: 'retry'; readonly afterMs: DurationMs } | { readonly kind: 'poison' };

const ATTEMPTS = 5;
const FIRST_MS: DurationMs = 10_000;
const MOST_MS: DurationMs = 3_600_000;

/** `attempt`: the number of the one that failed. */
export function afterFailure(attempt: number, retries: TaskRetries = {}): Next {
  const { firstMs = FIRST_MS, mostMs = MOST_MS } = retries;
  if (attempt >= attemptsOf(retries)) return { kind: 'poison' };
  // Doubling a thousand times would be no number.
  return { kind: 'retry', afterMs: Math.min(durationMs(mostMs), durationMs(firstMs) * 2 ** Math.min(attempt - 1, 40)) };
}

/** The longest pause between two attempts. */
export function longestPauseMs(retries: TaskRetries | undefined): DurationMs {
  const before = afterFailure(attemptsOf(retries) - 1, retries);
  return before.kind === 'retry' && attemptsOf(retries) > 1 ? before.afterMs : 0;
}

/** True if a lease that was lost so often in one attempt is not asked for again: what is done under it takes longer, or breaks it. */
export function isLostForGood(losses: number, retries: TaskRetries | undefined): boolean {
  return losses >= attemptsOf(retries);
}

function attemptsOf({ attempts = ATTEMPTS }: TaskRetries = {}): number {
  return attempts;
}
