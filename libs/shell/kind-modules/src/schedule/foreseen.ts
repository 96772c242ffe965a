import type { Millis } from '@flatline/base';
import { type AskingRecord, foreseen } from '@flatline/schedules';
import type { SchedulePipeline } from './settings.ts';
import { systemCalendar } from './system-calendar.ts';

/** A record of the input that is not sent yet. */
export interface WouldBeRecord extends Pick<AskingRecord, 'headers'> {
  readonly value: Uint8Array | null;
}

/** Foresees the outcome of a record of schedules taken at `now`, for whoever is about to send it. */
export function foreseenSchedule(
  { rules }: SchedulePipeline,
  { value, headers }: WouldBeRecord,
  now: Millis,
): ReturnType<typeof foreseen> {
  const bytes = value ?? new Uint8Array(0);
  const record = { headers, bytes, start: 0, length: value === null ? -1 : value.length };
  return foreseen(record, now, rules, systemCalendar());
}
