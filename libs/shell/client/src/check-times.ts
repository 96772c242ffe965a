// Lengths of time and instants as calls take them.
import { type DurationMs, INSTANT_MAX, type Millis, millisecondsIn, type WrittenDuration } from '@flatline/base';
import { WAIT_DIGITS_MAX } from '@flatline/ports/formats';
import { isDate, type Wanted } from './check-options.ts';

/** A length of time: in milliseconds, or as '250ms', '10s', '30m', '12h', '7d'. */
export type Duration = DurationMs | WrittenDuration;

/** An instant: a Date, milliseconds since the epoch, or ISO 8601 with a zone. */
export type Instant = Date | Millis | string;

const UNITS = "or a length of time with its unit, as '30m' (ms, s, m, h, d)";
export const DURATION: Wanted = {
  words: `a whole number of milliseconds, 1 or more, ${UNITS}`,
  is: (value) => isWholeFrom(1, value),
};
/** A duration that fits the header of an item. */
export const WAIT: Wanted = {
  words: `a whole number of milliseconds, 1 to ${'9'.repeat(WAIT_DIGITS_MAX)}, ${UNITS}`,
  is: (value) => isWholeFrom(1, value, 10 ** WAIT_DIGITS_MAX - 1),
};
export const DURATION_OR_NONE: Wanted = {
  words: `a whole number of milliseconds, 0 or more, ${UNITS}`,
  is: (value) => isWholeFrom(0, value),
};
export const INSTANT: Wanted = {
  words: 'a Date, a whole number of milliseconds since the epoch, or text in ISO 8601 with a zone',
  // Text is parsed where it is used.
  is: (value) => (typeof value === 'string' ? value !== '' : isInstant(isDate(value) ? value.getTime() : value)),
};

/** Expects a checked duration. */
export function durationMs(duration: Duration): DurationMs;
export function durationMs(duration: Duration | undefined): DurationMs | undefined;
export function durationMs(duration: Duration | undefined): DurationMs | undefined {
  return typeof duration === 'string' ? millisecondsIn(duration) : duration;
}

/** Expects a checked instant. */
export function instantText(instant: Instant | undefined): Millis | string | undefined {
  return isDate(instant) ? instant.getTime() : instant;
}

function isWholeFrom(least: number, value: unknown, most = Number.MAX_SAFE_INTEGER): boolean {
  const ms = typeof value === 'string' ? millisecondsIn(value) : value;
  return typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= least && ms <= most;
}

function isInstant(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= INSTANT_MAX;
}
