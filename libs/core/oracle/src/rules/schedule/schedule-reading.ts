// Schedules, as the judges read them (docs/FORMATS.md, Schedules).
import type { Millis } from '@flatline/base';
import { nameOf, textOf } from '../../logs/byte-names.ts';
import type { CommonRules, OutputRecord } from '../../logs/history.ts';
import { fieldDifferences } from '../differences.ts';
import { EntriesFold } from '../entries-fold.ts';
import type { EntryRules, Expectation } from '../entry-rules.ts';
import { faultWords } from '../fault-words.ts';
import { headerText } from '../headers.ts';
import { type FoldCounts, stateAtMost } from '../input-fold.ts';
import type { KindReading, OutputWords } from '../reading.ts';
import { runSaid, runSent } from './run-said.ts';
import {
  NaiveSchedules,
  type PendingSchedule,
  type SaidOfSchedule,
  type ScheduleFoldRules,
  type ScheduleState,
} from './naive-schedules.ts';
import { schedulesIn, touchedSchedules } from './schedule-image.ts';
import { ZonedKeys } from './zoned-keys.ts';
import {
  type FoldCalendar,
  scheduleAskedBy,
  type ScheduleMessage,
  type ScheduleTimes,
  shownHeader,
} from './schedule-request.ts';

/** The rules of a pipeline of schedules. */
export interface SchedulePipelineRules extends CommonRules, ScheduleFoldRules {
  readonly kind: 'schedule';
  readonly calendar: FoldCalendar;
  /** The topic judged as the output: one of the targets, of which only runs are looked at. Default: the output. */
  readonly judgedTarget?: string;
}

export function scheduleReading(partition: number, rules: SchedulePipelineRules, counts: FoldCounts): KindReading {
  const zoned = new ZonedKeys();
  const kind = scheduleEntries(partition, rules, rules.calendar, zoned);
  const fold = new EntriesFold({ rules, counts, kind });
  return {
    plural: 'schedules',
    fold,

    words: runsAndReceipts(rules.calendar),
    touched: touchedSchedules,
    mayBeOtherwise: (key) => zoned.has(key),
  };
}

export function scheduleEntries(
  partition: number,
  rules: ScheduleFoldRules & Pick<SchedulePipelineRules, 'judgedTarget'>,
  calendar: FoldCalendar,
  zoned = new ZonedKeys(),
): EntryRules<ScheduleState, SaidOfSchedule> {
  return {
    machine: (key) =>
      new NaiveSchedules(rules, calendar, {
        partition,
        key: nameOf(key),
        onZone: () => {
          zoned.note(textOf(key));
        },
      }),
    // Records for another topic are not looked at.
    expect: (said) => (said.topic === rules.judgedTarget ? expectation(said) : undefined),
    stateIn: schedulesIn,
    needsRoom: (record) => {
      const asked = scheduleAskedBy(record, calendar);
      return asked !== 'bad' && asked.does === 'schedule';
    },
    // A message that is due at once never becomes a schedule.
    passesThrough: (record) => {
      const asked = scheduleAskedBy(record, calendar);
      return asked !== 'bad' && asked.does === 'schedule' && (asked.every !== undefined || asked.cron !== undefined);
    },
    stateBytes: ({ pending }) => pending.reduce((sum, { asked }) => sum + stateAtMost(lengthOf(asked)), 0),
    differences,
    faults: faultWords(
      ({ pending, dueAt }) =>
        `the schedules ${pending.map(({ offset }) => `${partition}-${offset}`).join()}, first due at ${dueAt}`,
    ),
    beginningOf: ({ pending }) => Math.max(-1, ...pending.map(({ offset }) => offset)),
    instantOf,
    latestOffsetOf: offsetIn,
  };
}

/** Bytes of the parts kept as bytes, and characters of the others. */
function lengthOf({ id = '', cron = '', zone, target = '', value, headers }: ScheduleTimes & ScheduleMessage): number {
  return [id, cron, zone, target, value, ...headers].reduce((sum, text) => sum + text.length, 0);
}

function expectation(said: SaidOfSchedule): Expectation {
  const header = (name: string): string | undefined => {
    const start = `flatline-${name}=`;
    return said.headers.findLast((each) => each.startsWith(start))?.slice(start.length);
  };
  const id = idBy(header)!;
  return {
    id,
    at: Number(header('due-at') ?? 0),
    why: `${id}, due at ${header('due-at') ?? 'no instant'}`,
    ending: header('run') === undefined ? undefined : 'timeouts',
    compare: ({ value, headers = [] }) => {
      const found = { value: value && nameOf(value), headers: headers.map(shownHeader) };
      // A run names the version of the database that it was computed by.
      const version = found.headers.findLast(isVersion);
      const wanted = said.headers.map((each) => (isVersion(each) ? (version ?? each) : each));
      const different = fieldDifferences(found, { value: said.value, headers: wanted });
      return different.length === 0
        ? undefined
        : { rule: 'V4', what: `${id} differs from the input: ${different.join('; ')}` };
    },
  };
}

const isVersion = (header: string): boolean => header.startsWith('flatline-tz=');

/** A run has a permanent number; a receipt answers a record, or names an instant. */
function idBy(header: (name: string) => string | undefined): string | undefined {
  const [schedule, run, receipt] = [header('schedule'), header('run'), header('receipt')];
  if (run !== undefined) return schedule && `run ${run} of ${schedule}`;
  if (receipt === undefined) return undefined;
  const answers = header('answers');
  return `${receipt} of ${schedule ?? 'none'} ${answers === undefined ? `due at ${header('due-at') ?? ''}` : `for ${answers}`}`;
}

/** Reads our own headers: names reserved for us are never passed on from a message. */
function ownIn({ headers = [] }: OutputRecord): (name: string) => string | undefined {
  return (name) => headerText(headers, `flatline-${name}`);
}

function runsAndReceipts({ version }: FoldCalendar): OutputWords {
  return {
    idOf: (record) => idBy(ownIn(record)),
    lastOf: () => undefined,
    contradictions: () => [],
    saidIn: runSaid,
    sentAs: (record) => [ownIn(record)('schedule'), Number(ownIn(record)('run'))],
    sentData: runSent,
    beginningOf: offsetIn,
    otherReckoning: (record) => {
      const found = ownIn(record)('tz') ?? version;
      return found === version ? undefined : `runs go by the time-zone database ${found}, this checker by ${version}`;
    },
  };
}

/** Offset of the record that made the schedule, or that is answered. */
function offsetIn(record: OutputRecord): number {
  const own = ownIn(record);
  const schedule = own('schedule');
  return Math.max(
    Number(own('answers') ?? -1),
    schedule === undefined ? -1 : Number(schedule.slice(schedule.indexOf('-') + 1)),
  );
}

/** The due instant of a run, or of a receipt that time alone brought about. */
function instantOf(record: OutputRecord): Millis | undefined {
  const own = ownIn(record);
  const dueAt = own('due-at');
  return dueAt === undefined || (own('run') === undefined && own('answers') !== undefined) ? undefined : Number(dueAt);
}

function differences(found: ScheduleState, expected: ScheduleState): readonly string[] {
  const fieldsOf = ({ pending, dueAt }: ScheduleState): Readonly<Record<string, unknown>> => ({
    dueAt,
    ...Object.fromEntries(pending.map((each, at) => [`schedule ${at}`, fieldsOfOne(each)])),
  });
  return fieldDifferences(fieldsOf(found), fieldsOf(expected));
}

function fieldsOfOne({ asked, ...schedule }: PendingSchedule): Readonly<Record<string, unknown>> {
  const { id, every, cron, zone, start, end, max, expires, jitter, target, value, headers } = asked;
  const times = { id, every, cron, zone: cron === undefined ? '' : zone, start, end, max, expires, jitter, target };
  return { ...schedule, ...times, value, headers };
}
