import { describe, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { VirtualTime } from '@flatline/cluster';
import { type KeyedRecord, RecordTooLarge } from '@flatline/kafka';
import { BadInput } from '@flatline/records';
import { type ScheduleOptions, type SchedulesLimits, SentSchedules } from './sent-schedules.ts';

/** Some morning of 2026. */
const NOW = Date.parse('2026-11-02T08:00:00Z');
const HOUR = 3_600_000;

/** A log that takes what it is sent, unless its broker is away. */
class Log {
  readonly time = new VirtualTime();
  readonly taken: KeyedRecord[] = [];
  readonly schedules: SentSchedules;
  isAway = false;
  refusal: Error | undefined;

  constructor(limits: SchedulesLimits = {}) {
    const { time } = this;
    const clock = {
      wallMs: () => NOW,
      monotonicMs: () => time.nowMicros / 1000,
      after: (delayMs: number, callback: () => void) => time.after(delayMs, callback),
    };
    const writer = {
      write: (record: KeyedRecord) => {
        if (this.refusal !== undefined) return Promise.reject(this.refusal);
        this.taken.push(record);
        return this.#answer();
      },
      close: () => this.#answer(),
    };
    this.schedules = new SentSchedules({ ...limits, clock, topic: 'to-schedule', writer });
  }

  /** Key, value and headers of each record, as text. */
  get said(): unknown[] {
    return this.taken.map(({ key, value, headers = [] }) => [
      text(key),
      value && text(value),
      Object.fromEntries(headers.map(({ name, value: of }) => [name, of && text(of)])),
    ]);
  }

  #answer(): Promise<void> {
    return this.isAway ? new Promise(() => undefined) : Promise.resolve();
  }
}

function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString();
}

/** As plain JavaScript sees it. */
type Loose = Readonly<Record<'add' | 'cancel' | 'pause', (...given: readonly unknown[]) => Promise<unknown>>>;
function loose({ schedules }: Log): Loose {
  return schedules as unknown as Loose;
}

describe('a message that is to come', () => {
  test.each<[string, ScheduleOptions, Record<string, string>, number]>([
    ['at a date', { at: new Date(NOW + HOUR) }, { 'flatline-due-at': String(NOW + HOUR) }, NOW + HOUR],
    ['at an instant', { at: NOW + 1 }, { 'flatline-due-at': String(NOW + 1) }, NOW + 1],
    [
      'at an instant of some zone',
      { at: '2026-11-02T10:00:00+01:00' },
      { 'flatline-due-at': '2026-11-02T10:00:00+01:00' },
      NOW + HOUR,
    ],
    ['after a delay', { delay: '30m' }, { 'flatline-delay-ms': '1800000' }, NOW + HOUR / 2],
    ['at once', { delay: 0 }, { 'flatline-delay-ms': '0' }, NOW],
    [
      'again and again, within bounds',
      { every: '1h', startAt: NOW - 1, endAt: new Date(NOW + 9 * HOUR), maxRuns: 3 },
      {
        'flatline-every-ms': String(HOUR),
        'flatline-start-at': String(NOW - 1),
        'flatline-end-at': String(NOW + 9 * HOUR),
        'flatline-max-runs': '3',
      },
      NOW + HOUR - 1,
    ],
    [
      'by a calendar',
      { cron: '0 7 * * MON-FRI', timeZone: 'Europe/Berlin', jitter: '30s', expires: 60_000, reset: true },
      {
        'flatline-cron': '0 7 * * MON-FRI',
        'flatline-time-zone': 'Europe/Berlin',
        'flatline-jitter-ms': '30000',
        'flatline-expires-ms': '60000',
        'flatline-upsert': 'reset',
      },
      Date.parse('2026-11-03T06:00:00Z'),
    ],
    [
      'for a target, under a name',
      { delay: 1, target: 'mails', id: 'dentist', headers: { trace: 'abc' } },
      { trace: 'abc', 'flatline-delay-ms': '1', 'flatline-target': 'mails', 'flatline-schedule-id': 'dentist' },
      NOW + 1,
    ],
  ])('[D1][D3] %s', async (_, when, headers, dueAt) => {
    const log = new Log();
    expect(await log.schedules.add('anna', { remind: 'dentist' }, when)).toEqual({ dueAt });
    expect(log.said).toEqual([['anna', '{"remind":"dentist"}', headers]]);
  });

  test.each<[ScheduleOptions, string, string]>([
    [{}, 'no-schedule', 'add: one of the options at, delay, every, cron is needed'],
    [{ at: NOW, delay: 1 }, 'conflicting-schedule', 'add: only one of at and delay can be kept'],
    [{ delay: 1, maxRuns: 2 }, 'conflicting-schedule', 'add: maxRuns needs every or cron'],
    [{ every: 1, timeZone: 'UTC' }, 'conflicting-schedule', 'add: timeZone needs cron'],
    [{ cron: 'every day' }, 'invalid-cron', 'add: '],
    [{ cron: '0 7 * *' }, 'invalid-cron', 'add: '],
    [{ cron: '61 7 * * *' }, 'invalid-cron', 'add: '],
    [{ cron: '0 0 31 2 *' }, 'never-due', 'add: no run of this schedule is to come'],
    [{ cron: '0 7 * * *', timeZone: 'Mars/Olympus' }, 'invalid-time-zone', 'add: there is no time zone Mars/Olympus'],
    [{ at: 'tomorrow' }, 'invalid-due-at', 'add: the option at is no instant: ms since the epoch, or ISO 8601'],
    [{ at: '2026-11-02T08:00:00' }, 'invalid-due-at', 'add: the option at is no instant'],
    [
      { at: Math.floor(NOW / 1_000) },
      'invalid-due-at',
      `add: at is 1793606400, more than a year before its record, of ${NOW}: it is in milliseconds, and 1793606400 in seconds would be 1793606400000`,
    ],
    [
      { every: '1h', startAt: Math.floor(NOW / 1_000) },
      'invalid-start-at',
      'add: startAt is 1793606400, decades ago: it is in milliseconds, and',
    ],
    [{ every: '1h', endAt: Math.floor(NOW / 1_000) }, 'invalid-end-at', 'add: endAt is 1793606400, decades ago'],
    [{ every: '1h', endAt: NOW - 1 }, 'never-due', 'add: no run of this schedule is to come'],
    [{ at: 8.64e15 }, 'beyond-horizon', 'add: due at 8640000000000000, '],
    [{ delay: 10 ** 15 }, 'beyond-horizon', 'add: '],
    [{ every: Number.MAX_SAFE_INTEGER }, 'beyond-horizon', 'add: '],
    [{ delay: 1, id: 'x'.repeat(257) }, 'invalid-schedule-id', 'add: the option id is no text of 1 to 256 characters'],
    [{ delay: 1, jitter: 2 ** 31 }, 'invalid-jitter-ms', 'add: the option jitter is no integer from 0 to 2147483647'],
    [{ delay: 1, target: 'x'.repeat(250) }, 'invalid-target', 'add: the option target is no text of 1 to 249'],
  ])('[I4][D2] is not to come %j, and nothing is sent', async (when, reason, words) => {
    const log = new Log();
    const added = log.schedules.add('anna', 'x', when);
    await expect(added).rejects.toThrow(BadInput);
    await expect(added).rejects.toMatchObject({ reason, message: expect.stringContaining(words) });
    expect(log.taken).toEqual([]);
  });

  test.each([
    [undefined, 'add: the options are undefined: give an object with at'],
    [{ delayMs: 1 }, 'add: there is no option delayMs; did you mean delay?'],
    [{ at: new Date('nonsense') }, 'add: at is an invalid Date: give a Date, a whole number of milliseconds since'],
    [{ at: Number.NaN }, 'add: at is NaN: give a Date'],
    [{ at: -1 }, 'add: at is -1: give a Date'],
    [{ at: 1.5 }, 'add: at is 1.5: give a Date'],
    [{ at: 8.64e15 + 1 }, 'add: at is 8640000000000001: give a Date'],
    [{ startAt: {} }, 'add: startAt is an object: give a Date'],
    [
      { delay: '30 minutes' },
      'add: delay is "30 minutes": give a whole number of milliseconds, 0 or more, or a length of',
    ],
    [{ delay: '90' }, 'add: delay is "90": give a whole number'],
    [{ delay: -1 }, 'add: delay is -1: give a whole number'],
    [{ every: 0 }, 'add: every is 0: give a whole number of milliseconds, 1 or more'],
    [{ every: Number.POSITIVE_INFINITY }, 'add: every is Infinity: give a whole number'],
    [{ cron: '' }, 'add: cron is "": give text'],
    [{ maxRuns: 0.5 }, 'add: maxRuns is 0.5: give a whole number, 1 or more'],
    [{ reset: 'reset' }, 'add: reset is "reset": give true or false'],
    [{ delay: 1, headers: { 'flatline-cron': '* * * * *' } }, 'add: the header flatline-cron: names that begin with'],
  ])('[I4] with %j is a TypeError, and nothing is sent', async (when, words) => {
    const log = new Log();
    const added = loose(log).add('anna', 'x', when);
    await expect(added).rejects.toThrow(TypeError);
    await expect(added).rejects.toThrow(words);
    expect(log.taken).toEqual([]);
  });

  test.each([
    [undefined, 'x', 'add: the key is undefined: give text or bytes'],
    ['anna', undefined, 'add: the value is undefined: give bytes'],
    ['anna', null, 'add: the value is null: cancel(key) cancels a schedule'],
  ])('[I4] of key %p and value %p is refused', async (key, value, words) => {
    await expect(loose(new Log()).add(key, value, { delay: 1 })).rejects.toThrow(words);
  });

  test('[I1][I3] has any key that some pipeline takes', async () => {
    const log = new Log();
    await log.schedules.add('', Uint8Array.of(0xff), { delay: 1 });
    await log.schedules.add(new Uint8Array(65_535), '', { delay: 1 });
    expect(log.taken.map(({ key, value }) => [key.length, value?.length])).toEqual([
      [0, 1],
      [65_535, 0],
    ]);
    await expect(log.schedules.add('k'.repeat(65_536), '', { delay: 1 })).rejects.toThrow(BadInput);
  });
});

describe('a schedule that there is', () => {
  test('[D4] is cancelled, paused, resumed and run, alone or with all of its key', async () => {
    const log = new Log();
    await log.schedules.cancel('anna');
    await log.schedules.cancel('anna', { id: 'a' });
    await log.schedules.pause('anna', { id: 'a' });
    await log.schedules.resume('anna');
    await log.schedules.trigger(Buffer.from('anna'));
    expect(log.said).toEqual([
      ['anna', null, {}],
      ['anna', null, { 'flatline-schedule-id': 'a' }],
      ['anna', '', { 'flatline-command': 'PAUSE', 'flatline-schedule-id': 'a' }],
      ['anna', '', { 'flatline-command': 'RESUME' }],
      ['anna', '', { 'flatline-command': 'TRIGGER' }],
    ]);
  });

  test('[I4] is named by an object', async () => {
    const log = new Log();
    await expect(loose(log).cancel('anna', 'a')).rejects.toThrow('cancel: the options are "a": give an object with id');
    await expect(loose(log).pause('anna', { name: 'a' })).rejects.toThrow('pause: there is no option name');
    await expect(loose(log).pause(7)).rejects.toThrow('pause: the key is 7: give text');
    expect(log.taken).toEqual([]);
  });
});

describe('while the broker is away', () => {
  test('SJ2: so many wait, and with one more a call rejects', async () => {
    const log = new Log({ bufferRecordsMax: 2 });
    log.isAway = true;
    for (const id of ['a', 'b']) void log.schedules.cancel('anna', { id });
    const third = log.schedules.add('anna', 'x', { delay: 1 });
    await expect(third).rejects.toThrow(Retriable);
    await expect(third).rejects.toThrow(
      '2 records wait for the brokers of to-schedule, as many as bufferRecordsMax allows: await some of these calls',
    );
    expect(log.taken).toHaveLength(2);
  });

  test('SJ2: a record that was refused makes room for others', async () => {
    const log = new Log({ bufferRecordsMax: 1 });
    log.refusal = new RecordTooLarge('9 bytes too many');
    await expect(log.schedules.add('anna', 'x', { delay: 1 })).rejects.toThrow(RecordTooLarge);
    log.refusal = undefined;
    await log.schedules.add('anna', 'x', { delay: 1 });
  });

  test('closing waits for so long, and takes nothing more', async () => {
    const log = new Log();
    log.isAway = true;
    void log.schedules.cancel('anna');
    const closed = log.schedules.close(5_000);
    closed.catch(() => undefined);
    await log.time.runFor(5_000);
    await expect(closed).rejects.toThrow('1 records of schedules were not acknowledged within 5000 ms');
    await expect(log.schedules.cancel('anna')).rejects.toThrow('these schedules are closed: open others');
  });
});
