// Schedules as a kind: what a record does to those of its key, and what is due (D1–D4).
//
//              due-at, delay, every, cron
//   none ───────────────────────────────▶ pending ──── due ──▶ a run ──┬──▶ pending (recurs)
//     ▲                                    │  ▲                        └──▶ over (the last one)
//     └── null ────────────────────────────┘  └── the same name: replaced, or goes on where it says the same
//
// Owns: nothing that outlives a call.
// Does not own: entries, timers, commits (the engine).
//
// Invariants
//   SK1  A key's schedules are one entry, due when the first of them is: they come out in the order of their due instants, and
//        those that are due at one instant in the order of the log, so that a key's outputs are a function of the log (C5).
//   SK2  What expires or recurs takes effect at the first clock that reaches it (Kind.goesFirst), so that what becomes of a late
//        run depends on the log alone. Of what runs once and does not expire, nothing says how late it is: it may wait, so that a
//        million of them do not hold up the clock. What is due as it is made runs with its record.
//   SK3  The calendar is asked of nothing that it cannot reckon: a schedule may be older than the zones of this Node. Such a one
//        is parked when it is due, and stops nothing else. What says the same again has been reckoned, and resumes it.
import { assert, type Calendar, copyBytes, type Millis } from '@flatline/base';
import {
  type CommandAsked,
  firstDueOf,
  NEVER,
  readAsked,
  Recurrence,
  recurs,
  saysTheSame,
  type ScheduleAsked,
  type ScheduleRules,
} from '@flatline/schedules';
import type { Effects, Kind, KindParts, PipelineKind, Refusal, GroupRecords } from '../contract.ts';
import { bad, NO_ROOM } from '../refusals.ts';
import { STATE_BYTES_MAX } from '../state-bytes.ts';
import { fireAt, shiftOf } from './jitter.ts';
import { PlainRequests } from './plain-requests.ts';
import { PlainRuns } from './plain-runs.ts';
import { type ScheduleCounters, zeroScheduleCounters } from './schedule-counters.ts';
import { scheduleFormat } from './schedule-format.ts';
import { needsClock, type Schedule, schedulesIn, stateOf } from './schedule-state.ts';
import { type Receiver, ScheduleVoice } from './schedule-voice.ts';
import type { ScheduleWindow } from './schedule-window.ts';

export interface ScheduleOptions {
  readonly rules: ScheduleRules;
  readonly calendar: Calendar;
}

const NOT_RUN_YET = {
  id: undefined,
  offset: 0,
  dueAt: 0,
  shiftMs: 0,
  runs: 0,
  missed: 0,
  madeUp: 0,
  paused: false,
  parked: false,
} as const;

/** The first record of a zone takes a millisecond of its calendar. */
const PIECE_RECORDS = 16;
const PARKED =
  'schedules are parked, as this Node knows no such zone or expression: run one whose time-zone database has it, on every instance, and resume them or publish them again, or cancel them (D3)';

type ScheduleParts = KindParts<ScheduleWindow, ScheduleCounters>;

export function scheduleKind(options: ScheduleOptions): PipelineKind<ScheduleWindow, ScheduleCounters> {
  return {
    format: scheduleFormat,
    pieceRecords: PIECE_RECORDS,
    alarms: { schedulesParked: PARKED },
    counters: zeroScheduleCounters,
    open: (parts) => new ScheduleKind(options, parts),
    prepare: () => Promise.resolve(),
  };
}

class ScheduleKind implements Kind {
  readonly #rules: ScheduleRules;
  readonly #calendar: Calendar;
  readonly #recurrence: Recurrence;
  readonly #parts: ScheduleParts;
  readonly #entry: ScheduleWindow;
  readonly #voice: ScheduleVoice;
  readonly #plain: PlainRequests;
  readonly #plainRuns: PlainRuns;

  constructor({ rules, calendar }: ScheduleOptions, parts: ScheduleParts) {
    this.#rules = rules;
    this.#calendar = calendar;
    this.#recurrence = new Recurrence(calendar);
    this.#parts = parts;
    this.#entry = parts.entry;
    this.#plain = new PlainRequests({ rules, entry: parts.entry, counters: parts.counters });
    this.#plainRuns = new PlainRuns(parts.partition);
    const { receipts } = rules;
    this.#voice = new ScheduleVoice({ partition: parts.partition, receipts, tzVersion: calendar.version });
  }

  dueAt(): Millis {
    return this.#entry.dueAt;
  }

  goesFirst(): boolean {
    return needsClock(this.#entry.state);
  }

  take(records: GroupRecords, effects: Effects): Refusal | undefined {
    for (; records.index < records.end; records.index += 1) {
      const refusal = this.#takeRecord(records, effects);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #takeRecord(records: GroupRecords, effects: Effects): Refusal | undefined {
    const isThere = effects.find(records.index);
    const outcome = isThere ? undefined : this.#plain.take(records, effects);
    if (outcome !== undefined) return outcome === 'taken' ? undefined : outcome;
    const { bytes, group, index } = records;
    const value = { bytes, start: group.valueStarts[index]!, length: group.valueLengths[index]! };
    const record = { headers: records.headers.headersOf(index), ...value };
    const asked = readAsked(record, this.#rules, this.#calendar);
    if ('kind' in asked) return asked;
    const to = new Sender(records);
    const schedules = isThere ? schedulesIn(this.#entry.state) : [];
    if (asked.does === 'schedule') return this.#schedule(asked, { records, isThere, schedules }, to, effects);
    this.#command(asked, schedules, to, effects);
    return undefined;
  }

  due(at: Millis, effects: Effects): void {
    if (this.#plainRuns.make(this.#entry.state, at, effects)) {
      this.#parts.counters.scheduleRuns += 1;
      effects.end(at);
      return;
    }
    const to = { key: effects.key(), answers: undefined };
    const left: Schedule[] = [];
    for (const schedule of schedulesIn(this.#entry.state)) {
      if (schedule.paused || fireAt(schedule) > at) left.push(schedule);
      else left.push(...this.#runDue(schedule, to, effects));
    }
    this.#keep(left, at, effects);
  }

  #schedule(asked: ScheduleAsked, place: Place, to: Receiver, effects: Effects): Refusal | undefined {
    const { records, isThere, schedules } = place;
    const { id, when, target, message } = asked;
    const former = schedules.find((each) => each.id === id);
    const goesOn = former !== undefined && recurs(when) && !asked.reset && saysTheSame(former.when, when);
    const dueAt = goesOn ? former.dueAt : firstDueOf(asked, effects.clock, this.#rules, this.#recurrence);
    if (typeof dueAt !== 'number') return dueAt;
    const refusal = this.#tooMany(schedules, former, message);
    if (refusal !== undefined) return refusal;
    const fresh = { ...NOT_RUN_YET, id, offset: to.answers!, dueAt, when, target, message };
    const schedule = goesOn ? { ...former, when, target, message } : this.#at(fresh, dueAt, to);
    const isDue = !schedule.paused && fireAt(schedule) <= effects.clock;
    const isKept = !isDue || recurs(when);
    if (!isThere && !isDue) return this.#openFor(schedule, records, to, effects);
    const needed = isKept ? bytesOf(schedule) - (former === undefined ? 0 : bytesOf(former)) : 0;
    if (isThere && !effects.hasRoom(needed)) return NO_ROOM;
    if (!isThere && isKept) {
      if (!effects.open(records.index, needed)) return NO_ROOM;
      this.#entry.dueAt = NEVER;
      this.#entry.state = stateOf([schedule]);
      effects.opened();
    }
    this.#announce(former, schedule, to, effects);
    const left = this.#leftOf(schedule, isDue, to, effects);
    if (isDue) this.#parts.counters.scheduleRunsInPast += 1;
    const others = schedules.filter((each) => each !== former);
    if (goesOn)
      this.#keep(
        schedules.flatMap((each) => (each === former ? left : [each])),
        effects.clock,
        effects,
      );
    else if (isThere || isKept) this.#keep([...others, ...left], effects.clock, effects);
    return undefined;
  }

  /** Returns the rest of it as it is made or said again. The calendar has reckoned it by then, so that it need not stay parked. */
  #leftOf(schedule: Schedule, isDue: boolean, to: Receiver, effects: Effects): readonly Schedule[] {
    if (schedule.parked) return this.#resume(schedule, to, effects);
    return isDue ? this.#runDue(schedule, to, effects) : [schedule];
  }

  /** The key's only schedule, which waits: written once, and never again before it is due. */
  #openFor(schedule: Schedule, records: GroupRecords, to: Receiver, effects: Effects): Refusal | undefined {
    const state = stateOf([schedule]);
    if (!effects.open(records.index, state.length)) return NO_ROOM;
    this.#entry.dueAt = fireAt(schedule);
    this.#entry.state = state;
    effects.opened();
    this.#announce(undefined, schedule, to, effects);
    effects.changed();
    return undefined;
  }

  #announce(former: Schedule | undefined, schedule: Schedule, to: Receiver, effects: Effects): void {
    const { counters } = this.#parts;
    counters.schedulesMade += 1;
    if (former !== undefined) counters.schedulesReplaced += 1;
    this.#voice.receipt(former === undefined ? 'SCHEDULED' : 'REPLACED', schedule, to, effects);
  }

  /** True if the key may have one more, or this message in the place of the former's (D1). */
  #tooMany(schedules: readonly Schedule[], former: Schedule | undefined, message: Uint8Array): Refusal | undefined {
    const { maxSchedulesPerKey } = this.#rules;
    const { length } = schedules;
    const why = (detail: string): Refusal => bad('too-many-schedules', detail);
    if (former === undefined && length >= maxSchedulesPerKey)
      return why(`the key has ${length} schedules; maxSchedulesPerKey is ${maxSchedulesPerKey}`);
    const others = schedules.reduce((sum, each) => (each === former ? sum : sum + each.message.length), 0);
    const bytes = others + message.length;
    if (bytes <= STATE_BYTES_MAX) return undefined;
    return why(`the messages of the key's schedules would have ${bytes} bytes, of which ${STATE_BYTES_MAX} fit`);
  }

  #command({ does, id }: CommandAsked, schedules: readonly Schedule[], to: Receiver, effects: Effects): void {
    const concerns = (schedule: Schedule): boolean => id === undefined || schedule.id === id;
    if (!schedules.some(concerns)) {
      this.#parts.counters.schedulesNotFound += 1;
      this.#voice.receipt('NOT_FOUND', { id }, to, effects);
      return;
    }
    const left = schedules.flatMap((schedule) =>
      concerns(schedule) ? this.#obey(does, schedule, to, effects) : [schedule],
    );
    this.#keep(left, effects.clock, effects);
  }

  #obey(does: CommandAsked['does'], schedule: Schedule, to: Receiver, effects: Effects): readonly Schedule[] {
    switch (does) {
      case 'CANCEL':
        this.#parts.counters.schedulesCancelled += 1;
        this.#voice.receipt('CANCELLED', schedule, to, effects);
        return [];
      case 'PAUSE':
        this.#voice.receipt('PAUSED', schedule, to, effects);
        return [{ ...schedule, paused: true, parked: false }];
      case 'RESUME':
        this.#voice.receipt('RESUMED', schedule, to, effects);
        return this.#resume(schedule, to, effects);
      case 'TRIGGER':
        this.#voice.receipt('TRIGGERED', schedule, to, effects);
        return this.#trigger(schedule, to, effects);
    }
  }

  /** Runs that were due while it was paused are not made up for, but the one of a schedule that has no other. */
  #resume(paused: Schedule, to: Receiver, effects: Effects): readonly Schedule[] {
    const schedule = { ...paused, paused: false, parked: false };
    const { clock } = effects;
    if (fireAt(schedule) > clock) return [schedule];
    if (!recurs(schedule.when)) return this.#runDue(schedule, to, effects);
    if (!this.#canReckon(schedule)) return this.#park(schedule, to, effects);
    return this.#passOver(schedule, this.#firstFrom(schedule, clock + 1, to), to, effects);
  }

  /** A run of its own, now. That of a schedule with one run is this. */
  #trigger(schedule: Schedule, to: Receiver, effects: Effects): readonly Schedule[] {
    const { dueAt, when } = schedule;
    const now = { ...schedule, dueAt: effects.clock, shiftMs: 0 };
    const [next] = this.#run(now, recurs(when) ? dueAt : undefined, to, effects);
    return next === undefined ? [] : [{ ...next, paused: schedule.paused, madeUp: schedule.madeUp }];
  }

  /** The clock has reached its due instant. What is left of it. */
  #runDue(schedule: Schedule, to: Receiver, effects: Effects): readonly Schedule[] {
    const { clock } = effects;
    const { when, dueAt } = schedule;
    if (!recurs(when)) return this.#run(schedule, undefined, to, effects);
    if (!this.#canReckon(schedule)) return this.#park(schedule, to, effects);
    const { missed, maxCatchUp, catchUpWindowMs } = this.#rules;
    const recurrence = this.#recurrence;
    const begin = clock - catchUpWindowMs;
    if (fireAt(schedule) < begin) return this.#passOver(schedule, this.#firstFrom(schedule, begin, to), to, effects);
    const next = recurrence.next(when, dueAt, dueAt);
    if (next === undefined || next > clock) return this.#run(schedule, next, to, effects);
    if (missed === 'all' && schedule.madeUp < maxCatchUp)
      return this.#run({ ...schedule, madeUp: schedule.madeUp + 1 }, next, to, effects);
    if (missed !== 'once') return this.#passOver(schedule, this.#firstFrom(schedule, clock + 1, to), to, effects);
    // It is due again at once, behind what others of its key are due for before (SK1).
    return [this.#missing(schedule, recurrence.latest(when, dueAt, clock), to)];
  }

  #canReckon({ when: { cron, timeZone } }: Schedule): boolean {
    return cron === undefined || this.#calendar.fault(cron, timeZone) === undefined;
  }

  /** Without the run that it is due for: whether that is missed or the last, the calendar alone knows. */
  #park(schedule: Schedule, to: Receiver, effects: Effects): readonly Schedule[] {
    this.#parts.counters.schedulesParked += 1;
    this.#voice.receipt('PARKED', schedule, to, effects);
    return [{ ...schedule, paused: true, parked: true }];
  }

  /** The first instant whose run comes at `from` or later: for its jitter, the instant itself may have passed by then. */
  #firstFrom(schedule: Schedule, from: Millis, to: Receiver): Millis | undefined {
    const { when, dueAt } = schedule;
    if (when.jitterMs !== undefined) {
      const latest = this.#at(schedule, this.#recurrence.latest(when, dueAt, from - 1), to);
      if (fireAt(latest) >= from) return latest.dueAt;
    }
    return this.#recurrence.next(when, dueAt, from - 1);
  }

  /** The same, due at that instant, and later by its jitter. */
  #at(schedule: Schedule, dueAt: Millis, to: Receiver): Schedule {
    const { when } = schedule;
    if (when.jitterMs === undefined) return { ...schedule, dueAt };
    const goesOn = recurs(when) && this.#canReckon(schedule);
    const next = goesOn ? this.#recurrence.next(when, dueAt, dueAt) : undefined;
    return { ...schedule, dueAt, shiftMs: shiftOf(schedule, to.key, dueAt, next) };
  }

  /** Its runs up to `next` are missed. */
  #passOver(schedule: Schedule, next: Millis | undefined, to: Receiver, effects: Effects): readonly Schedule[] {
    const before = next ?? Math.max(schedule.dueAt, effects.clock) + 1;
    const missed = schedule.missed + this.#countMissed(schedule, before);
    this.#voice.receipt('MISSED', schedule, to, effects);
    return next === undefined ? [] : [this.#at({ ...schedule, missed, madeUp: 0 }, next, to)];
  }

  /** The same, due at a later instant. */
  #missing(schedule: Schedule, dueAt: Millis, to: Receiver): Schedule {
    return this.#at({ ...schedule, missed: schedule.missed + this.#countMissed(schedule, dueAt) }, dueAt, to);
  }

  #countMissed({ when, dueAt }: Schedule, before: Millis): number {
    const count = this.#recurrence.countBefore(when, dueAt, before, this.#rules.maxCatchUp);
    this.#parts.counters.scheduleRunsMissed += count;
    return count;
  }

  /** Makes the run it is due for, unless that has expired. `next`: when it is due again; undefined: never. */
  #run(schedule: Schedule, next: Millis | undefined, to: Receiver, effects: Effects): readonly Schedule[] {
    const { counters } = this.#parts;
    const { when } = schedule;
    const hasExpired = effects.clock - fireAt(schedule) > (when.expiresMs ?? Infinity);
    const runs = schedule.runs + (hasExpired ? 0 : 1);
    const isLast = next === undefined || runs === when.maxRuns;
    if (hasExpired) {
      counters.scheduleRunsExpired += 1;
      this.#voice.receipt('EXPIRED', schedule, to, effects);
    } else {
      counters.scheduleRuns += 1;
      this.#voice.run(schedule, { runs, isLast }, to.key, effects);
    }
    if (isLast) return [];
    const madeUp = next > effects.clock ? 0 : schedule.madeUp;
    return [this.#at({ ...schedule, runs, missed: hasExpired ? schedule.missed + 1 : 0, madeUp }, next, to)];
  }

  /** Writes the schedules of an entry there is, or ends it as of `at`. */
  #keep(schedules: readonly Schedule[], at: Millis, effects: Effects): void {
    if (schedules.length === 0) {
      effects.end(at);
      return;
    }
    const entry = this.#entry;
    const [wasDueAt, length, goesFirst] = [entry.dueAt, entry.stateLength, this.goesFirst()];
    entry.state = stateOf(schedules);
    entry.dueAt = Math.min(NEVER, ...schedules.flatMap((each) => (each.paused ? [] : [fireAt(each)])));
    assert(entry.dueAt > at, 'what is due has run', { dueAt: entry.dueAt, at });
    if (entry.stateLength !== length) effects.resized();
    if (entry.dueAt < wasDueAt || goesFirst !== this.goesFirst()) effects.dueSooner();
    effects.changed();
  }
}

interface Place {
  readonly records: GroupRecords;
  readonly isThere: boolean;
  readonly schedules: readonly Schedule[];
}

/** Bytes that it takes of its entry's state. */
function bytesOf(schedule: Schedule): number {
  return stateOf([schedule]).length;
}

/** Whoever sent the record being taken. Most records are not answered, and need no copy of their key. */
class Sender implements Receiver {
  readonly answers: number;
  readonly #records: GroupRecords;
  readonly #index: number;
  #key: Uint8Array | undefined;

  constructor(records: GroupRecords) {
    const { group, index, baseOffset } = records;
    this.answers = baseOffset + group.offsetDeltas[index]!;
    this.#records = records;
    this.#index = index;
  }

  get key(): Uint8Array {
    return (this.#key ??= this.#copyKey());
  }

  #copyKey(): Uint8Array {
    const { bytes, group } = this.#records;
    const start = group.starts[this.#index]!;
    return copyBytes(bytes, start, start + group.lengths[this.#index]!);
  }
}
