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
  /** Versions of the time-zone database that the output names. Default: the calendar's. */
  readonly tzVersions?: ReadonlySet<string>;
}

export interface FoldedSchedules {
  /** Records of the output, by key with a character per byte, in order. */
  readonly said: ReadonlyMap<string, readonly SaidOfSchedule[]>;
  /** Offsets of the records that belong to the dead letters. */
  readonly refused: readonly number[];
  /** Keys of which this fold cannot say what is right: their runs go by a zone, and by another version of the database (D3). */
  readonly undecided: ReadonlySet<string>;
}

/** `records`: committed, in offset order. */
export function foldSchedules(
  records: readonly RawRecord[],
  { partition, rules, calendar, tzVersions = new Set() }: ScheduleFoldOptions,
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
    const schedules = keys.get(name) ?? new NaiveSchedules(rules, calendar, partition, name);
    keys.set(name, schedules);
    schedules.settle(clock);
    const asked = scheduleAskedBy(record, calendar);
    if (asked === 'bad' || !schedules.take(asked, offset)) refused.push(offset);
  }
  const isOther = [...tzVersions].some((version) => version !== calendar.version);
  const byZone = [...keys].flatMap(([name, { goesByZone }]) => (goesByZone ? [name] : []));
  const undecided = new Set(isOther ? byZone : []);
  return { said: new Map([...keys].map(([name, schedules]) => [name, schedules.said])), refused, undecided };
}
