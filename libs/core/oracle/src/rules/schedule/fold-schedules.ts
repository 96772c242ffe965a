// Folds one input partition of schedules into the output expected of it, for callers that have all of it.
import { nameOf } from '../../logs/byte-names.ts';
import { keyedRecord, type RawRecord } from '../../logs/raw-record.ts';
import { foldEntries } from '../fold-entries.ts';
import { NaiveSchedules, type SaidOfSchedule, type ScheduleFoldRules } from './naive-schedules.ts';
import { scheduleEntries } from './schedule-reading.ts';
import type { FoldCalendar } from './schedule-request.ts';

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
  /** Offsets of the records that belong in the dead letters. */
  readonly refused: readonly number[];
  /** Keys on which this fold cannot decide: their runs go by a zone, and by another version of the database (D3). */
  readonly undecided: ReadonlySet<string>;
}

/** `records`: committed, in offset order, stamped by the broker. */
export function foldSchedules(
  records: readonly RawRecord[],
  { partition, rules, calendar, tzVersions = new Set() }: ScheduleFoldOptions,
): FoldedSchedules {
  const input = records.map((record) => keyedRecord(record));
  const byZone = new Map<string, NaiveSchedules>();
  const entries = scheduleEntries(partition, rules, calendar);
  const machine = (key: Uint8Array): NaiveSchedules => {
    const schedules = new NaiveSchedules(rules, calendar, { partition, key: nameOf(key), onZone: () => undefined });
    // A key that had nothing left begins with a new machine.
    if (byZone.get(nameOf(key))?.goesByZone !== true) byZone.set(nameOf(key), schedules);
    return schedules;
  };
  const { saidByName, refused } = foldEntries(input, { ...entries, machine }, { logAppendTime: true });
  const isOther = [...tzVersions].some((version) => version !== calendar.version);
  const undecided = [...byZone].flatMap(([name, { goesByZone }]) => (isOther && goesByZone ? [name] : []));
  return { said: saidByName, refused, undecided: new Set(undecided) };
}
