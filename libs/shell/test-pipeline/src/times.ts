// Lengths of time and instants as a test writes them.
import { type DurationMs, INSTANT_MAX, millisecondsIn, type Millis, type WrittenDuration } from '@flatline/base';
import { isoInstant } from '@flatline/schedules';
import { shown } from './shown.ts';

/** Milliseconds, or as a configuration has them: "250ms", "10s", "30m", "12h", "7d". */
export type Duration = number | WrittenDuration;
/** Milliseconds since the epoch, a `Date`, or ISO 8601 with a zone: "2026-01-01T00:00:00Z". */
export type Instant = number | Date | string;

/** @throws TypeError */
export function durationOf(call: string, value: unknown): DurationMs {
  const ms = typeof value === 'string' ? millisecondsIn(value) : value;
  if (typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= 0) return ms;
  if (typeof ms === 'number' && ms < 0)
    throw new TypeError(`${call}: ${shown(value)} would turn time back, which no log does: give 0 or more`);
  const wanted = 'whole milliseconds, 0 or more, or a length of time as "250ms", "10s", "30m", "12h", "7d"';
  throw new TypeError(`${call}: the duration is ${shown(value)}: give ${wanted}`);
}

/** @throws TypeError */
export function instantOf(call: string, name: string, value: unknown): Millis {
  const ms = millisecondsOf(value);
  if (Number.isSafeInteger(ms) && ms >= 0 && ms <= INSTANT_MAX) return ms;
  const wanted = 'milliseconds since the epoch, a Date, or ISO 8601 with a zone, as "2026-01-01T00:00:00Z"';
  throw new TypeError(`${call}: ${name} is ${shown(value)}: give ${wanted}`);
}

function millisecondsOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return isoInstant(value) ?? NaN;
  // By shape: a Date of another realm, as tests run in, is no instance of this one's.
  return Object.prototype.toString.call(value) === '[object Date]' ? (value as Date).getTime() : NaN;
}
