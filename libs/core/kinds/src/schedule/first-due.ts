// When a schedule is due first, and whether it may be (D1, D3).
import { INSTANT_MAX, type Millis } from '@flatline/base';
import { type Bad, bad } from '../refusals.ts';
import { Recurrence } from './recurrence.ts';
import { type AskingRecord, readAsked, type ScheduleAsked } from './request-reader.ts';
import type { Calendar, ScheduleRules } from './schedule-rules.ts';

/** No instant is so late: what an entry is due at whose schedules are all paused. */
export const NEVER = INSTANT_MAX;

export function firstDueOf(
  { dueAt, delayMs, when }: ScheduleAsked,
  clock: Millis,
  { maxHorizonMs }: ScheduleRules,
  recurrence: Recurrence,
): Millis | Bad {
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

export interface Foreseen {
  readonly kind: 'sound';
  /** undefined: it schedules nothing. */
  readonly dueAt: Millis | undefined;
}

/** What a record would come to if it were taken at `now`, whatever its key has by then: for whoever is about to send it. */
export function foreseen(record: AskingRecord, now: Millis, rules: ScheduleRules, calendar: Calendar): Foreseen | Bad {
  const asked = readAsked(record, rules, calendar);
  if ('kind' in asked) return asked;
  if (asked.does !== 'schedule') return { kind: 'sound', dueAt: undefined };
  const dueAt = firstDueOf(asked, now, rules, new Recurrence(calendar));
  return typeof dueAt === 'number' ? { kind: 'sound', dueAt } : dueAt;
}
