// Lengths of time as calls take them: milliseconds, or as they are written in a configuration.
import { type DurationMs, millisecondsIn, type WrittenDuration } from '@flatline/base';
import type { Wanted } from './check-options.ts';

/** A length of time: in milliseconds, or as '250ms', '10s', '30m', '12h', '7d'. */
export type Duration = DurationMs | WrittenDuration;

export const DURATION: Wanted = {
  words: "a whole number of milliseconds, 1 or more, or a length of time with its unit, as '30m' (ms, s, m, h, d)",
  is: (value) => isWholeFrom(1, value),
};
export const DURATION_OR_NONE: Wanted = {
  words: "a whole number of milliseconds, 0 or more, or a length of time with its unit, as '30m' (ms, s, m, h, d)",
  is: (value) => isWholeFrom(0, value),
};

/** Of what has been checked. */
export function durationMs(duration: Duration): DurationMs {
  return typeof duration === 'number' ? duration : millisecondsIn(duration)!;
}

function isWholeFrom(least: number, value: unknown): boolean {
  const ms = typeof value === 'string' ? millisecondsIn(value) : value;
  return typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= least;
}
