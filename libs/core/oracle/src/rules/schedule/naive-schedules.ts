// One key's schedules by the rules, written as simply as they are (D1–D4): those pending, and the records written.
//
// Shares no code with what it judges.
import type { DurationMs, Millis } from '@flatline/base';
import { bytesOf } from '../../logs/byte-names.ts';
import type { InputRecord } from '../../logs/history.ts';
import { murmur3 } from '../../logs/murmur3.ts';
import type { Machine, When } from '../entry-rules.ts';
import {
  type AskedSchedule,
  type FoldCalendar,
  scheduleAskedBy,
  type ScheduleMessage,
  type ScheduleTimes,
} from './schedule-request.ts';
import { Telling } from '../telling.ts';

/** A pipeline's options, named as in docs/CONFIGURATION.md. */
export interface ScheduleFoldRules {
  readonly maxHorizonMs: DurationMs;
  /** Default: any period. */
  readonly minEveryMs?: DurationMs;
  readonly missed: string;
  readonly maxCatchUp: number;
  readonly catchUpWindowMs: DurationMs;
  readonly receipts: string;
  readonly maxSchedulesPerKey: number;
  readonly targets: readonly string[];
  /** Target that a record may name, with no effect. */
  readonly outputTopic?: string;
  /** Default: any number. */
  readonly maxMessageBytes?: number;
}

/** A record of the output or of another target topic; one character per byte. */
export interface SaidOfSchedule {
  readonly topic?: string;
  readonly value: string;
  readonly headers: readonly string[];
}

/** A schedule that has runs to come. */
export interface PendingSchedule {
  readonly asked: ScheduleTimes & ScheduleMessage;
  /** Offset of the record that made it. */
  readonly offset: number;
  readonly due: Millis;
  /** Delay of its run by jitter. */
  readonly shift: number;
  readonly runs: number;
  readonly missed: number;
  readonly madeUp: number;
  readonly paused: boolean;
  /** Paused because its zone or expression is unknown, not by a command. */
  readonly parked: boolean;
}

export interface ScheduleState {
  /** In the order in which they were made. */
  readonly pending: readonly PendingSchedule[];
  /** When the first of them is due; 8.64 × 10¹⁵: all are paused. */
  readonly dueAt: Millis;
}

const NEVER = 8.64e15;
/** docs/SPEC.md, D1: maximum bytes of a key's messages, as they are kept. */
const KEY_MESSAGES_BYTES_MAX = 64_000_000;

/** While the machine works on it. */
type Pending = { -readonly [Name in Exclude<keyof PendingSchedule, 'shift'>]: PendingSchedule[Name] };

/** Greatest instant of a `Date`. */
const LAST_INSTANT = 8_640_000_000_000_000;
const ERRORS = ['NOT_FOUND', 'EXPIRED', 'MISSED', 'PARKED'];

interface OfKey {
  readonly partition: number;
  /** One character per byte. */
  readonly key: string;
  /** Called when a schedule goes by a zone, or would. */
  readonly onZone: () => void;
}

export class NaiveSchedules extends Telling<SaidOfSchedule> implements Machine<ScheduleState, SaidOfSchedule> {
  /** True once a schedule of the key has gone by a zone's calendar, on which another version of the database may differ. */
  goesByZone = false;
  readonly #rules: ScheduleFoldRules;
  readonly #calendar: FoldCalendar;
  readonly #partition: number;
  readonly #key: string;
  readonly #onZone: () => void;
  #pending: Pending[] = [];
  #clock: Millis = 0;
  /** Offset of the record being answered. */
  #answers: number | undefined;

  constructor(rules: ScheduleFoldRules, calendar: FoldCalendar, { partition, key, onZone }: OfKey) {
    super();
    this.#key = key;
    this.#onZone = onZone;
    this.#rules = rules;
    this.#calendar = calendar;
    this.#partition = partition;
  }

  get state(): ScheduleState | undefined {
    if (this.#pending.length === 0) return undefined;
    const pending = this.#pending.map((each) => ({ ...each, shift: this.#fires(each) - each.due }));
    return { pending, dueAt: Math.min(NEVER, this.dueAt()) };
  }
  set state(state: ScheduleState | undefined) {
    this.#pending = (state?.pending ?? []).map((each) => ({ ...each }));
    if (this.#pending.some(({ asked }) => isZoned(asked))) this.#onZone();
  }

  dueAt(): Millis {
    return Math.min(Infinity, ...this.#pending.filter(({ paused }) => !paused).map((each) => this.#fires(each)));
  }

  due(clock: Millis): void {
    this.#clock = clock;
    this.#answers = undefined;
    const at = this.dueAt();
    this.#due(this.#pending.find((each) => !each.paused && this.#fires(each) === at)!);
  }

  take(record: InputRecord, { clock, offset }: When): boolean {
    // Also for a zone that this calendar does not know.
    if (record.headers?.some(({ name }) => name === 'flatline-time-zone') === true) this.#onZone();
    const said = scheduleAskedBy(record, this.#calendar);
    if (said === 'bad') return false;
    const asked = said.target === this.#rules.outputTopic ? { ...said, target: undefined } : said;
    this.#clock = clock;
    this.#answers = offset;
    if (asked.does === 'schedule') return this.#schedule(asked, offset);
    const concerned = this.#pending.filter((each) => asked.id === undefined || each.asked.id === asked.id);
    if (concerned.length === 0) this.#receipt('NOT_FOUND', asked.id === undefined ? [] : [`schedule-id=${asked.id}`]);
    for (const each of concerned) this.#obey(asked.does, each);
    return true;
  }

  #schedule(asked: AskedSchedule, offset: number): boolean {
    if (asked.messageBytes > (this.#rules.maxMessageBytes ?? Infinity)) return false;
    if ((asked.every ?? Infinity) < (this.#rules.minEveryMs ?? 1)) return false;
    const former = this.#pending.find((each) => each.asked.id === asked.id);
    if (asked.target !== undefined && !this.#rules.targets.includes(asked.target)) return false;
    const others = this.#pending.filter((each) => each !== former);
    const kept = others.reduce((sum, each) => sum + each.asked.messageBytes, 0);
    if (kept + asked.messageBytes > KEY_MESSAGES_BYTES_MAX) return false;
    if (former && !asked.reset && recurs(asked) && sameWhen(former.asked, asked)) {
      former.asked = asked;
      this.#receiptOf('REPLACED', former);
      if (former.parked) this.#resume(former);
      return true;
    }
    const due = asked.at ?? (asked.delay === undefined ? this.#first(asked) : this.#clock + asked.delay);
    if (isZoned(asked)) this.goesByZone = true;
    if (due === undefined || due > this.#clock + this.#rules.maxHorizonMs) return false;
    if (asked.at !== undefined && this.#clock - asked.at > 365 * 24 * 3_600_000) return false;
    if (!former && this.#pending.length >= this.#rules.maxSchedulesPerKey) return false;
    this.began();
    const pending: Pending = { asked, offset, due, runs: 0, missed: 0, madeUp: 0, paused: false, parked: false };
    this.#pending = [...others, pending];
    this.#receiptOf(former ? 'REPLACED' : 'SCHEDULED', pending);
    if (this.#fires(pending) <= this.#clock) this.#due(pending);
    return true;
  }

  #obey(does: AskedSchedule['does'], pending: Pending): void {
    const names = { CANCEL: 'CANCELLED', PAUSE: 'PAUSED', RESUME: 'RESUMED', TRIGGER: 'TRIGGERED', schedule: '' };
    this.#receiptOf(names[does], pending);
    if (does === 'CANCEL') this.#end(pending);
    if (does === 'PAUSE') {
      pending.paused = true;
      pending.parked = false;
    }
    if (does === 'RESUME') this.#resume(pending);
    if (does === 'TRIGGER') {
      const { due, madeUp } = pending;
      pending.due = this.#clock;
      this.#run(pending, recurs(pending.asked) ? due : undefined, this.#clock);
      pending.madeUp = madeUp;
    }
  }

  #resume(pending: Pending): void {
    pending.paused = false;
    pending.parked = false;
    if (this.#fires(pending) > this.#clock) return;
    if (this.#isLost(pending)) this.#park(pending);
    else if (recurs(pending.asked)) this.#passOver(pending, this.#firedUpTo(pending));
    else this.#run(pending, undefined);
  }

  #due(pending: Pending): void {
    const { missed, maxCatchUp, catchUpWindowMs } = this.#rules;
    if (!recurs(pending.asked)) {
      this.#run(pending, undefined);
      return;
    }
    if (this.#isLost(pending)) {
      this.#park(pending);
      return;
    }
    const tooOld = this.#clock - catchUpWindowMs;
    const next = this.#after(pending, pending.due);
    const isLate = next !== undefined && next <= this.#clock;
    // No run is later than the next instant: if the first is not too old, none is.
    if (this.#fires(pending) < tooOld)
      this.#passOver(
        pending,
        this.#upTo(pending).filter((instant) => this.#firesAt(pending, instant) < tooOld),
      );
    else if (!isLate) this.#run(pending, next);
    else if (missed === 'all' && pending.madeUp < maxCatchUp) {
      pending.madeUp += 1;
      this.#run(pending, next);
    } else if (missed === 'once') {
      const instants = this.#upTo(pending);
      pending.missed += Math.min(maxCatchUp, instants.length - 1);
      pending.due = instants.at(-1)!;
    } else this.#passOver(pending, this.#firedUpTo(pending));
  }

  /** True if its zone or its expression is no longer known. */
  #isLost({ asked: { cron, zone } }: Pending): boolean {
    return cron !== undefined && !this.#calendar.isSound(cron, zone);
  }

  #park(pending: Pending): void {
    this.#receipt('PARKED', this.#names(pending), [`tz=${this.#calendar.version}`]);
    pending.paused = true;
    pending.parked = true;
  }

  /** When its next run comes: the instant plus the jitter. */
  #fires(pending: Pending): Millis {
    return this.#firesAt(pending, pending.due);
  }

  #firesAt(pending: Pending, due: Millis): Millis {
    const { jitter, id = '' } = pending.asked;
    if (jitter === undefined) return due;
    const hash = murmur3(bytesOf(`${this.#key}\0${id}\0${due}`), 0);
    const next = recurs(pending.asked) ? this.#after(pending, due) : undefined;
    return due + (((hash + 2 ** 32) % 2 ** 32) % Math.min(jitter, (next ?? Infinity) - due));
  }

  /** The instants up to the clock, without the last if its run is still to come. */
  #firedUpTo(pending: Pending): Millis[] {
    const instants = this.#upTo(pending);
    return this.#firesAt(pending, instants.at(-1)!) <= this.#clock ? instants : instants.slice(0, -1);
  }

  /** All instants up to the clock at which it is due. */
  #upTo(pending: Pending): Millis[] {
    const instants = [pending.due];
    for (;;) {
      const next = this.#after(pending, instants.at(-1)!);
      if (next === undefined || next > this.#clock) return instants;
      instants.push(next);
    }
  }

  /** The instant after `instant`. */
  #after({ asked }: Pending, instant: Millis): Millis | undefined {
    const { every, cron, zone, end = LAST_INSTANT } = asked;
    const next = cron === undefined ? instant + every! : this.#calendar.next(cron, zone, instant);
    return next === undefined || next > end ? undefined : next;
  }

  #first({ cron, zone, every, start, end = Infinity }: AskedSchedule): Millis | undefined {
    let first: Millis | undefined;
    if (cron !== undefined) {
      const isLater = start !== undefined && start >= this.#clock;
      first = this.#calendar.next(
        cron,
        zone,
        isLater ? start - 1 : start === undefined ? this.#clock : this.#clock - 1,
      );
    } else {
      first = start ?? this.#clock + every!;
      while (first < this.#clock) first += every!;
    }
    return first === undefined || first > end ? undefined : first;
  }

  #passOver(pending: Pending, instants: readonly Millis[]): void {
    this.#receiptOf('MISSED', pending);
    const next = this.#after(pending, instants.at(-1)!);
    pending.missed += Math.min(this.#rules.maxCatchUp, instants.length);
    pending.madeUp = 0;
    if (next === undefined) this.#end(pending);
    else pending.due = next;
  }

  #run(pending: Pending, next: Millis | undefined, at = this.#fires(pending)): void {
    const { asked } = pending;
    const isTooLate = asked.expires !== undefined && this.#clock > at + asked.expires;
    if (!isTooLate) pending.runs += 1;
    const isOver = next === undefined || pending.runs === asked.max;
    if (isTooLate) {
      this.#receiptOf('EXPIRED', pending);
      pending.missed += 1;
    } else {
      const headers = [...this.#names(pending), `run=${pending.runs}`];
      if (isOver) headers.push('last=true');
      if (pending.missed > 0) headers.push(`missed=${pending.missed}`);
      if (asked.cron !== undefined) headers.push(`tz=${this.#calendar.version}`);
      const topic = asked.target === undefined ? {} : { topic: asked.target };
      const all = [...asked.headers, ...headers.map((each) => `flatline-${each}`)];
      this.tell({ ...topic, value: asked.value, headers: all });
      pending.missed = 0;
    }
    if (isOver) this.#end(pending);
    else {
      pending.due = next;
      if (next > this.#clock) pending.madeUp = 0;
    }
  }

  #end(pending: Pending): void {
    this.#pending = this.#pending.filter((each) => each !== pending);
  }

  #names({ due, offset, asked }: Pending): string[] {
    const id = asked.id === undefined ? [] : [`schedule-id=${asked.id}`];
    return [`due-at=${due}`, `schedule=${this.#partition}-${offset}`, ...id];
  }

  #receiptOf(type: string, pending: Pending): void {
    this.#receipt(type, this.#names(pending));
  }

  #receipt(type: string, about: readonly string[], more: readonly string[] = []): void {
    const { receipts } = this.#rules;
    if (receipts !== 'all' && !(receipts === 'errors' && ERRORS.includes(type))) return;
    const headers = [
      `receipt=${type}`,
      ...about,
      ...(this.#answers === undefined ? [] : [`answers=${this.#answers}`]),
      ...more,
    ];
    this.tell({ value: '', headers: headers.map((each) => `flatline-${each}`) });
  }
}

function isZoned({ cron, zone }: ScheduleTimes): boolean {
  return cron !== undefined && zone !== 'UTC';
}

function recurs({ every, cron }: ScheduleTimes): boolean {
  return every !== undefined || cron !== undefined;
}

function sameWhen(a: ScheduleTimes, b: ScheduleTimes): boolean {
  const when = ({ every, cron, zone, start, end, max, jitter }: ScheduleTimes): string =>
    JSON.stringify([every, cron, zone, start, end, max, jitter]);
  return when(a) === when(b);
}
