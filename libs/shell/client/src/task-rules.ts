// What follows from how an attempt ended: decided here, done by the worker.
import type { DurationMs } from '@flatline/base';

export interface TaskRetries {
  /** Attempts at a task, the first included: after the last it is poison. Default 5. */
  readonly attempts?: number;
  /** Pause after the first failed attempt, doubled after each further one. In milliseconds; default 10 000. */
  readonly firstMs?: DurationMs;
  /** The longest pause. In milliseconds; default 3 600 000. */
  readonly mostMs?: DurationMs;
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
  /** Its lease is over while it was worked on: nothing is known of it, and it is begun again, under another. */
  | { readonly kind: 'lost' }
  /** Its outcome was recorded by another worker meanwhile. */
  | { readonly kind: 'settled' }
  /** The worker ends: whoever goes on begins it again. */
  | { readonly kind: 'ended' };

export type Next = { readonly kind: 'retry'; readonly afterMs: DurationMs } | { readonly kind: 'poison' };

const ATTEMPTS = 5;
const FIRST_MS: DurationMs = 10_000;
const MOST_MS: DurationMs = 3_600_000;

/** `attempt`: the number of the one that failed. */
export function afterFailure(attempt: number, retries: TaskRetries = {}): Next {
  const { attempts = ATTEMPTS, firstMs = FIRST_MS, mostMs = MOST_MS } = retries;
  if (attempt >= attempts) return { kind: 'poison' };
  // Doubling a thousand times would be no number.
  return { kind: 'retry', afterMs: Math.min(mostMs, firstMs * 2 ** Math.min(attempt - 1, 40)) };
}
