// Sends messages to a pipeline of schedules, and changes them: each call is a record of its input (D1–D4).
//
// Owns: how many records wait for the broker.
// Does not own: sending and sending again (the writer), schedules (the pipeline).
//
// Invariants
//   SJ1  What would be a dead letter under any pipeline's settings is refused, by the reader of the pipeline itself, and not sent.
//   SJ2  Records of one key reach the log in the order of the calls. Records waiting ≤ `bufferRecordsMax`.
import { type Calendar, type Clock, type DurationMs, type Millis, Retriable } from '@flatline/base';
import type { KeyedRecord } from '@flatline/kafka';
import type { RecordHeader } from '@flatline/ports';
import { BadInput } from '@flatline/records';
import {
  type Command,
  commandHeaders,
  foreseen,
  inWordsOf,
  scheduleHeaders,
  type ScheduleRules,
} from '@flatline/schedules';
import { CronCalendar, withinDeadline } from '@flatline/system';
import process from 'node:process';
import { type Duration, durationMs, type Instant, instantText } from './check-times.ts';
import { checkCall, checkKey } from './known-options.ts';
import {
  headersOf,
  keyBytes,
  type RecordHeaders,
  type RecordKey,
  type RecordValue,
  valueBytes,
} from './message-bytes.ts';

/** When a message comes, and how: one of `at`, `delay`, `every` and `cron` is needed. */
export interface ScheduleOptions {
  /** Once, at this instant: a Date, milliseconds (not seconds) since the epoch, or ISO 8601 with a zone. Default: none. */
  readonly at?: Instant;
  /** Once, so long after the broker has the record: '30m', or milliseconds. On inputs with LogAppendTime only. Default: none. */
  readonly delay?: Duration;
  /** Again and again, each time so much has passed: '1d', or milliseconds. At least the pipeline's `minEveryMs`. Default: none. */
  readonly every?: Duration;
  /** Again and again, as a cron expression says: five fields, or six with seconds first. Default: none. */
  readonly cron?: string;
  /** An IANA time zone for `cron`, as 'Europe/Berlin'. Default 'UTC'. */
  readonly timeZone?: string;
  /** Start of a recurring schedule. As `at`; default: now. */
  readonly startAt?: Instant;
  /** End of a recurring schedule: no run comes after it. As `at`; default: none. */
  readonly endAt?: Instant;
  /** Number of runs of a recurring schedule. Default: without end. */
  readonly maxRuns?: number;
  /** A run that is later than this does not come: '5m', or milliseconds. Default: it comes however late. */
  readonly expires?: Duration;
  /** Each run comes later by less than this, so that not all come at once: '30s', or milliseconds. Default 0. */
  readonly jitter?: Duration;
  /** Tells several schedules of one key apart, 1 to 256 characters: what has the same is replaced, or goes on. Default: none. */
  readonly id?: string;
  /** One of the pipeline's `targets`. Default: its output. */
  readonly target?: string;
  /** true: what recurs begins again from its first run, though the same recurs already. Default false. */
  readonly reset?: boolean;
  /** Come out with the message. None of them begins with `flatline-`. Default: none. */
  readonly headers?: RecordHeaders;
}

export interface ScheduleName {
  /** Only the schedule with this id. Default: all of the key. */
  readonly id?: string;
}

/** Estimate by this machine's clock: the brokers' clock decides, and what the pipeline already has of the schedule. */
export interface Scheduled {
  /** When it is due first, in milliseconds since the epoch, without its jitter. */
  readonly dueAt: Millis;
}

export interface SchedulesLimits {
  /** Records that may wait for the broker: with one more, a call rejects with Retriable. Default 100 000. */
  readonly bufferRecordsMax?: number;
}

/**
 * Messages that come out later. Each call resolves once its record is in the log, and takes effect once the processor has read
 * it. It rejects with a TypeError for what there is not, BadInput for what no pipeline takes, in words that say what to give,
 * RecordTooLarge for what the topic does not take, and Retriable where no broker has taken it in time.
 */
export interface Schedules {
  /** Schedules a message: bytes as they are, text in UTF-8, anything else as JSON. What has the same key and id is replaced. */
  add(key: RecordKey, message: RecordValue, when: ScheduleOptions): Promise<Scheduled>;
  /** No run comes any more. */
  cancel(key: RecordKey, name?: ScheduleName): Promise<void>;
  /** No run comes until it is resumed. */
  pause(key: RecordKey, name?: ScheduleName): Promise<void>;
  /** Runs come again; what recurs misses those that were due meanwhile. */
  resume(key: RecordKey, name?: ScheduleName): Promise<void>;
  /** A run comes at once, in addition to those to come. */
  trigger(key: RecordKey, name?: ScheduleName): Promise<void>;
  /** Takes nothing more: rejects where what was taken is not in the log within `limitMs`, by default 10 000 milliseconds. */
  close(limitMs?: DurationMs): Promise<void>;
}

export interface SentSchedulesParts extends SchedulesLimits {
  readonly clock: Clock;
  readonly topic: string;
  readonly writer: { write(record: KeyedRecord): Promise<unknown>; close(): Promise<void> };
}

export interface MessageRecord {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
  readonly headers: readonly RecordHeader[];
}

const CLOSE_MS: DurationMs = 10_000;
const BUFFER_RECORDS_MAX = 100_000;
const NO_VALUE = new Uint8Array(0);
const OPTIONS: Parameters<typeof inWordsOf>[1] = {
  id: 'id',
  dueAt: 'at',
  delayMs: 'delay',
  everyMs: 'every',
  cron: 'cron',
  timeZone: 'timeZone',
  startAt: 'startAt',
  endAt: 'endAt',
  maxRuns: 'maxRuns',
  expiresMs: 'expires',
  jitterMs: 'jitter',
  target: 'target',
};
/** A thousand years: calendars go on for longer, and no message waits for as long. */
const HORIZON_MS: DurationMs = 365_250 * 86_400_000;
/** The pipeline's own limits may be narrower: then its dead letters tell. */
const WIDEST: ScheduleRules = {
  maxHorizonMs: HORIZON_MS,
  minEveryMs: 1,
  missed: 'once',
  maxCatchUp: 1,
  catchUpWindowMs: 0,
  receipts: 'none',
  maxMessageBytes: Infinity,
  maxSchedulesPerKey: Infinity,
  targets: [],
  outputTopic: '',
};

export class SentSchedules implements Schedules {
  readonly #parts: SentSchedulesParts;
  readonly #calendar: Calendar = new CronCalendar(process.versions['tz'] ?? 'unknown');
  #waitingCount = 0;
  #closing: Promise<void> | undefined;

  constructor(parts: SentSchedulesParts) {
    this.#parts = parts;
  }

  async add(key: RecordKey, message: RecordValue, when: ScheduleOptions): Promise<Scheduled> {
    checkKey('add', key);
    checkCall('add', when);
    const value = valueBytes('add', message, 'cancel(key) cancels a schedule');
    return await this.addRecord({ key: keyBytes(key), value, headers: headersOf('add', when.headers) }, when);
  }

  /** The same of a message as it lies in a log: names of its headers may come twice, and their values be null. */
  async addRecord(message: MessageRecord, when: Omit<ScheduleOptions, 'headers'>): Promise<Scheduled> {
    const { at, delay, every, startAt, endAt, expires, jitter, reset } = when;
    const own = scheduleHeaders(
      {
        ...when,
        dueAt: instantText(at),
        delayMs: durationMs(delay),
        everyMs: durationMs(every),
        startAt: instantText(startAt),
        endAt: instantText(endAt),
        expiresMs: durationMs(expires),
        jitterMs: durationMs(jitter),
      },
      reset === true,
    );
    const record = { ...message, headers: [...message.headers, ...own] };
    const dueAt = this.#dueAt(record, when.target);
    await this.#write(record);
    return { dueAt };
  }

  cancel(key: RecordKey, name: ScheduleName = {}): Promise<void> {
    return this.#command('cancel', key, name);
  }

  pause(key: RecordKey, name: ScheduleName = {}): Promise<void> {
    return this.#command('pause', key, name);
  }

  resume(key: RecordKey, name: ScheduleName = {}): Promise<void> {
    return this.#command('resume', key, name);
  }

  trigger(key: RecordKey, name: ScheduleName = {}): Promise<void> {
    return this.#command('trigger', key, name);
  }

  close(limitMs: DurationMs = CLOSE_MS): Promise<void> {
    const { clock, writer } = this.#parts;
    this.#closing ??= withinDeadline(clock, limitMs, writer.close(), () => {
      return new Retriable(`${this.#waitingCount} records of schedules were not acknowledged within ${limitMs} ms`);
    });
    return this.#closing;
  }

  /** SJ1 */
  #dueAt({ value, headers }: Required<Pick<KeyedRecord, 'value' | 'headers'>>, target: string | undefined): Millis {
    const bytes = value!;
    const rules = target === undefined ? WIDEST : { ...WIDEST, targets: [target] };
    const record = { headers, bytes, start: 0, length: bytes.length };
    const found = foreseen(record, this.#parts.clock.wallMs(), rules, this.#calendar);
    if (found.kind === 'sound') return found.dueAt!;
    throw new BadInput(found.reason, `add: ${inWordsOf(found.detail, OPTIONS, 'option')}`);
  }

  async #command(call: keyof typeof COMMANDS, key: RecordKey, name: ScheduleName): Promise<void> {
    checkKey(call, key);
    checkCall('schedule', name, call);
    const command = COMMANDS[call];
    const value = command === 'CANCEL' ? null : NO_VALUE;
    await this.#write({ key: keyBytes(key), value, headers: commandHeaders(command, name.id) });
  }

  /** SJ2 */
  async #write(record: KeyedRecord): Promise<void> {
    const { topic, writer, bufferRecordsMax = BUFFER_RECORDS_MAX } = this.#parts;
    if (this.#closing !== undefined) throw new Error('these schedules are closed: open others');
    if (this.#waitingCount >= bufferRecordsMax) {
      const full = `${this.#waitingCount} records wait for the brokers of ${topic}, as many as bufferRecordsMax allows`;
      throw new Retriable(`${full}: await some of these calls before the next`);
    }
    this.#waitingCount += 1;
    try {
      await writer.write(record);
    } finally {
      this.#waitingCount -= 1;
    }
  }
}

const COMMANDS = {
  cancel: 'CANCEL',
  pause: 'PAUSE',
  resume: 'RESUME',
  trigger: 'TRIGGER',
} as const satisfies Readonly<Record<string, Command | 'CANCEL'>>;
