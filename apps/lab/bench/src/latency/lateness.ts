import type { DurationMs, Millis } from '@flatline/base';
import type { SeenClose } from '../close-watch.ts';

export interface Lateness {
  readonly closes: number;
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
}

/** Lateness of the probes whose deadlines lie in a span; quantiles by nearest rank, NaN without any. */
export function latenessOf(closes: readonly SeenClose[], from: Millis, to: Millis): Lateness {
  const late = closes
    .filter(({ sessionId, deadlineAt }) => isProbe(sessionId) && deadlineAt >= from && deadlineAt < to)
    .map(({ seenAt, deadlineAt }) => seenAt - deadlineAt)
    .sort((a, b) => a - b);
  const rank = (share: number): DurationMs => late[Math.ceil(late.length * share) - 1] ?? NaN;
  return { closes: late.length, p50Ms: rank(0.5), p99Ms: rank(0.99), maxMs: rank(1) };
}

export function isProbe(sessionId: string): boolean {
  return sessionId.startsWith('probe-');
}
