// A log of schedules, a task that keeps them, and what the oracle says of them.
import type { RawRecord } from '@flatline/oracle';
import { type FoldCalendar, foldSchedules, type SaidOfSchedule } from '@flatline/oracle/schedule';
import type { Calendar } from '@flatline/base';
import type { Routing } from '@flatline/kinds/routing';
import { scheduleKind, type ScheduleRules } from '@flatline/kinds/schedule';
import type { RecordHeader } from '@flatline/ports';
import { PartitionTask } from '../../index.ts';
import { type Folded, KindLog, type Output, PARTITION, WALL } from '../kind-log.fixture.ts';
import { bytes, options, text } from '../../task.fixture.ts';

const RULES: ScheduleRules = {
  maxHorizonMs: 1e9,
  minEveryMs: 1,
  missed: 'once',
  maxCatchUp: 5,
  catchUpWindowMs: 1e9,
  receipts: 'none',
  maxMessageBytes: 1_000,
  maxSchedulesPerKey: 3,
  targets: ['mail', 'push'],
  outputTopic: 'runs-out',
};

/** The year 10000, from which on those of users may throw. */
const CALENDAR_END = 253_402_300_800_000;
/** `each 900`: at multiples of so many seconds. The calendar of users is the shell's. */
const EACH = /^each (\d+)$/;
const next = (cron: string, _zone: string, after: number): number | undefined => {
  if (after > CALENDAR_END) throw new RangeError('beyond the calendar');
  const ms = Number(EACH.exec(cron)?.[1] ?? 0) * 1_000;
  return ms === 0 ? undefined : (Math.floor(after / ms) + 1) * ms;
};
export const calendar: Calendar = {
  version: '2026z',
  next,
  fault: (cron, zone) => {
    if (!EACH.test(cron)) return { about: 'cron', detail: cron };
    return zone === 'UTC' ? undefined : { about: 'time-zone', detail: zone };
  },
};
/** Sound until it is lost. */
export const LOST_ZONE = 'Lost/Zone';
const naive: FoldCalendar = {
  version: '2026z',
  next,
  isSound: (cron, zone) => EACH.test(cron) && zone === 'UTC',
  instant: (said) => {
    const instant = /^\d+$/.test(said) ? Number(said) : /T.*(Z|[+-]\d\d:?\d\d)$/.test(said) ? Date.parse(said) : NaN;
    return instant >= 0 && instant <= 8.64e15 ? instant : undefined;
  },
};

/** One character per byte, as the oracle has it; and what it says. */
const named = (from: Uint8Array): string => String.fromCharCode(...from);
const asText = (name: string): string => text(Uint8Array.from(name, (character) => character.charCodeAt(0)));

export interface ScheduleSettings {
  readonly rules?: Partial<ScheduleRules>;
  readonly groupMax?: number;
  /** False: no request is found in its bytes, and all are read from their headers. Default: true. */
  readonly headersInBytes?: boolean;
  /** The commit is full with so many bytes. */
  readonly cutBytes?: number;
  readonly maxStateBytes?: number;
  readonly tickMs?: number;
  readonly routing?: Routing;
  /**
   * True if the task that begins, and the oracle where it is asked for the nth time, know LOST_ZONE. Default: they never did. It
   * lacks the zone for `lacks` asks behind the first `asks`; default: for all.
   */
  readonly knowsLostZone?: { task: boolean; readonly asks: number; readonly lacks?: number };
}

export type Headers = Readonly<Record<string, string | number | Uint8Array>>;

export class ScheduleLog extends KindLog<SaidOfSchedule> {
  readonly rules: ScheduleRules;
  readonly #settings: ScheduleSettings;

  constructor(settings: ScheduleSettings = {}) {
    super();
    this.#settings = settings;
    this.rules = { ...RULES, ...settings.rules };
  }

  protected override newTask(): PartitionTask {
    const { rules } = this;
    const { maxStateBytes: stateBytesMax = Infinity, tickMs = 10, routing } = this.#settings;
    const state = { ...options().state, stateBytesMax };
    const knows = this.#settings.knowsLostZone?.task === true;
    const zoned = { ...calendar, fault: (cron: string, zone: string) => calendar.fault(cron, nameFor(zone, knows)) };
    const kind = scheduleKind({ rules, calendar: zoned });
    const task = new PartitionTask({ ...options({ partition: PARTITION, state, tickMs, routing }), kind });
    if (this.#settings.cutBytes !== undefined) task.limitCut(this.#settings.cutBytes);
    return task;
  }

  /** One character per byte. */
  protected override hear({ value, headers = [], topic }: Output): SaidOfSchedule {
    const shown = headers.map((each) => `${each.name}=${each.value === null ? '(null)' : named(each.value)}`);
    return { ...(topic !== undefined && { topic }), value: named(value!), headers: shown };
  }

  protected override fold(input: readonly RawRecord[]): Folded<SaidOfSchedule> {
    const { asks = 0, lacks = Infinity } = this.#settings.knowsLostZone ?? {};
    let asked = 0;
    const isSound = (cron: string, zone: string): boolean =>
      naive.isSound(cron, nameFor(zone, zone === LOST_ZONE && (++asked <= asks || asked > asks + lacks)));
    const folding = { partition: PARTITION, rules: this.rules, calendar: { ...naive, isSound } };
    const { said, refused } = foldSchedules(input, folding);
    return { said, refused };
  }

  /** Appends a record; key null: one that tells the time. Headers by their names behind `flatline-`, or with a colon as they are. */
  add(timestamp: number, key: string | null, headers: Headers = {}, value: string | null = 'v'): number {
    const sent: RecordHeader[] = Object.entries(headers).map(([name, of]) => ({
      name: name.startsWith(':') ? name.slice(1) : `flatline-${name}`,
      value: typeof of === 'object' ? of : bytes(String(of)),
    }));
    return this.append({ timestamp, key, value: key === null ? '' : value, headers: sent });
  }

  /** Takes what was added, and commits. `drains`: lets all that is due take effect at the end. */
  commit(drains = true): void {
    const { task } = this;
    const { groupMax = 1, headersInBytes } = this.#settings;
    const { count, cursor } = this.handOver(groupMax, headersInBytes);
    for (let outcome = ''; count > 0 && outcome !== 'exhausted';) {
      outcome = task.step(cursor, 1e6, WALL).kind;
      if (outcome === 'due') while (task.expire(3, WALL)) this.#cutIfFull();
      this.#cutIfFull();
    }
    if (drains) while (task.expire(100, WALL)) this.#cutIfFull();
    this.settleCut();
  }

  #cutIfFull(): void {
    if (this.task.isFull) this.settleCut();
  }

  /** Returns what came out of a key, in order. */
  override said(key = 'k'): readonly SaidOfSchedule[] {
    return super.said(key).map(({ value, headers, ...to }) => ({
      ...to,
      value: asText(value),
      headers: headers.map(asText),
    }));
  }
}

function nameFor(zone: string, known: boolean): string {
  return zone === LOST_ZONE && known ? 'UTC' : zone;
}

export const T = 1_800_000_000_000;
export const HOUR = 3_600_000;

/** `due run [last] [missed]`, or the receipt and what it is about; due instants from T on. */
export function brief(said: readonly SaidOfSchedule[]): string[] {
  return said.map(({ value, headers }) => {
    const of = (name: string): string | undefined =>
      headers.find((each) => each.startsWith(`flatline-${name}=`))?.slice(`flatline-${name}=`.length);
    const due = of('due-at');
    const parts = [of('receipt') ?? value, due === undefined ? '' : String(Number(due) - T), of('schedule-id')];
    if (of('run') !== undefined) parts.push(`#${of('run')}`);
    if (of('last') !== undefined) parts.push('last');
    if (of('missed') !== undefined) parts.push(`missed ${of('missed')}`);
    return parts.filter(Boolean).join(' ');
  });
}

export type Row = readonly [after: number, headers: Headers, value?: string | null];

/** Returns the log of a key with these records, up to `until`. */
export function history(settings: ScheduleSettings, until: number, ...rows: readonly Row[]): ScheduleLog {
  const log = new ScheduleLog(settings);
  for (const [after, headers, value] of rows) log.add(T + after, 'k', headers, value);
  log.add(T + until, null);
  log.commit();
  return log;
}
