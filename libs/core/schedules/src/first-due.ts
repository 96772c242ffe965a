// When a schedule is due first, and whether it may be (D1, D3).
import { type Calendar, type DurationMs, INSTANT_MAX, type Millis } from '@flatline/base';
import { DUE_AT_HEADER, END_AT_HEADER, START_AT_HEADER } from '@flatline/ports/formats';
import { invalidHeader } from '@flatline/ports';
import { type Bad, bad } from './refusal.ts';
import { Recurrence } from './recurrence.ts';
import { type AskingRecord, readAsked, type ScheduleAsked } from './request-reader.ts';
import type { ScheduleRules } from './schedule-rules.ts';

/** No instant is so late: what an entry is due at whose schedules are all paused. */
export const NEVER = INSTANT_MAX;
/** Longest that a schedule may have been due when it is made: seconds since the epoch, read as milliseconds, lie in 1970. */
const PAST_MAX_MS: DurationMs = 365 * 86_400_000;

export function firstDueOf(
  { dueAt, delayMs, when }: ScheduleAsked,
  clock: Millis,
  { maxHorizonMs }: ScheduleRules,
  recurrence: Recurrence,
): Millis | Bad {
  if (dueAt !== undefined && dueAt < clock - PAST_MAX_MS) return longPast(dueAt, clock);
  const { startAt = clock } = when;
  // Calendars end somewhere: none is asked for what is refused in any case.
  const isBeyond = startAt - clock > maxHorizonMs;
  const recurs = dueAt === undefined && delayMs === undefined;
  const once = dueAt ?? clock + (delayMs ?? 0);
  const first = isBeyond ? startAt : recurs ? recurrence.first(when, clock) : once;
  if (first === undefined) return bad('never-due', 'no run of this schedule is to come');
  if (first - clock <= maxHorizonMs && first < NEVER) return first;
  return bad('beyond-horizon', `due at ${first}, ${first - clock} ms from now; maxHorizonMs is ${maxHorizonMs}`);
}

function longPast(dueAt: Millis, clock: Millis): Bad {
  const hint = isInSeconds(dueAt, clock) ? inSeconds(dueAt) : '';
  return bad('invalid-due-at', `${DUE_AT_HEADER} is ${dueAt}, more than a year before its record, of ${clock}${hint}`);
}

/** Any instant of the second half of this epoch; an instant in milliseconds never is one. */
function isInSeconds(instant: Millis, clock: Millis): boolean {
  const inSeconds = instant * 1_000;
  return inSeconds > clock / 2 && inSeconds <= INSTANT_MAX && instant < clock / 100;
}

function inSeconds(instant: Millis): string {
  return `: it is in milliseconds, and ${instant} in seconds would be ${instant * 1_000}`;
}

/** A recurrence may have begun long ago, so that only whoever sends one can be asked whether it is meant. */
function boundInSeconds({ when: { startAt, endAt } }: ScheduleAsked, now: Millis): Bad | undefined {
  const bounds = [
    [START_AT_HEADER, startAt],
    [END_AT_HEADER, endAt],
  ] as const;
  for (const [name, at] of bounds)
    if (at !== undefined && isInSeconds(at, now))
      return bad(invalidHeader(name), `${name} is ${at}, decades ago${inSeconds(at)}`);
  return undefined;
}

export interface Foreseen {
  readonly kind: 'sound';
  /** undefined: it schedules nothing. */
  readonly dueAt: Millis | undefined;
}

/** Returns the outcome of taking a record at `now`, whatever its key holds by then: for a caller about to send it. */
export function foreseen(record: AskingRecord, now: Millis, rules: ScheduleRules, calendar: Calendar): Foreseen | Bad {
  const asked = readAsked(record, rules, calendar);
  if ('kind' in asked) return asked;
  if (asked.does !== 'schedule') return { kind: 'sound', dueAt: undefined };
  const misread = boundInSeconds(asked, now);
  if (misread !== undefined) return misread;
  const dueAt = firstDueOf(asked, now, rules, new Recurrence(calendar));
  return typeof dueAt === 'number' ? { kind: 'sound', dueAt } : dueAt;
}
