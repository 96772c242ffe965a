// What must come out of one input partition of schedules, for callers that hold all of it.
import type { Millis } from '@flatline/base';
import { nameOf } from '../../logs/byte-names.ts';
import type { RawRecord } from '../../logs/raw-record.ts';
import { NaiveSchedules, type SaidOfSchedule, type ScheduleFoldRules } from './naive-schedules.ts';
import { type FoldCalendar, scheduleAskedBy } from './schedule-request.ts';

export interface ScheduleFoldOptions {
  readonly partition: number;
  readonly rules: ScheduleFoldRules;
  readonly calendar: FoldCalendar;
}

export interface FoldedSchedules {
  /** Records of the output, by key with a character per byte, in order. */
  readonly said: ReadonlyMap<string, readonly SaidOfSchedule[]>;
  /** Offsets of the records that belong to the dead letters. */
  readonly refused: readonly number[];
}

/** `records`: committed, in offset order. */
export function foldSchedules(
  records: readonly RawRecord[],
  { partition, rules, calendar }: ScheduleFoldOptions,
): FoldedSchedules {
  const keys = new Map<string, NaiveSchedules>();
  const refused: number[] = [];
  let clock: Millis = 0;
  for (const record of records) {
    const { key, timestamp, offset, value } = record;
    clock = Math.max(clock, timestamp);
    for (const schedules of keys.values()) schedules.settle(clock);
    if (key === null) {
      const tellsTime = record.headers.some(({ name }) => name === 'flatline-clock') && !value?.length;
      if (!tellsTime) refused.push(offset);
      continue;
    }
    const name = nameOf(key);
    const schedules = keys.get(name) ?? new NaiveSchedules(rules, calendar, partition);
    keys.set(name, schedules);
    schedules.settle(clock);
    const asked = scheduleAskedBy(record, calendar);
    if (asked === 'bad' || !schedules.take(asked, offset)) refused.push(offset);
  }
  return { said: new Map([...keys].map(([name, schedules]) => [name, schedules.said])), refused };
}
