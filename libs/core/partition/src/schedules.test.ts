// Schedules on the engine, rule by rule, and at random against the second reading of the rules.
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import type { SaidOfSchedule } from '@flatline/oracle';
import { type Headers, ScheduleLog, type ScheduleSettings } from './schedules.fixture.ts';

const T = 1_800_000_000_000;
const HOUR = 3_600_000;

/** `due run [last] [missed]`, or the receipt and what it is about; due instants from T on. */
function brief(said: readonly SaidOfSchedule[]): string[] {
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

type Row = readonly [after: number, headers: Headers, value?: string | null];

/** What comes out of a key with these records, and then `until`. */
function history(settings: ScheduleSettings, until: number, ...rows: readonly Row[]): ScheduleLog {
  const log = new ScheduleLog(settings);
  for (const [after, headers, value] of rows) log.add(T + after, 'k', headers, value);
  log.add(T + until, null);
  log.commit();
  return log;
}

describe('what waits for its commit', () => {
  test('[X6] a run holds its own message, not those of all schedules of its key', () => {
    const log = new ScheduleLog({ rules: { maxSchedulesPerKey: 64 } });
    for (let i = 0; i < 64; i += 1) log.add(T, 'k', { 'due-at': T + 1_000 + i, 'schedule-id': i }, 'x'.repeat(900));
    log.add(T + 2_000, null);
    log.commit();
    expect(log.said()).toHaveLength(64);
    expect(log.heldBytes).toBeLessThan(64 * 2_000);
  });
});

describe('a schedule that runs once', () => {
  test('[D1] comes out with its value and foreign headers untouched, and says of what it is a run', () => {
    const row: Row = [0, { 'due-at': T + 5_000, ':trace': 'ab=c', ':b': '' }, '\u0000é{'];
    const log = history({}, 5_000, row);
    expect(log.said()).toEqual([
      {
        value: '\u0000é{',
        headers: [
          'trace=ab=c',
          'b=',
          `flatline-due-at=${T + 5_000}`,
          'flatline-schedule=3-0',
          'flatline-run=1',
          'flatline-last=true',
        ],
      },
    ]);
    expect(log.task.liveEntries).toBe(0);
    expect(log.task.counters).toMatchObject({ schedulesMade: 1, scheduleRuns: 1, scheduleRunsInPast: 0 });
  });

  test.each([
    ['due-at', T + 7_000],
    ['due-at', '2027-01-15T08:00:07Z'],
    ['due-at', '2027-01-15T09:00:07.000+01:00'],
    ['due-at', '2027-01-15T02:30:07-0530'],
    ['delay-ms', 6_000],
  ])('[D1][D2] %s %s: never early, and as soon as the clock says so', (name, said) => {
    expect(new Date(T).toISOString()).toBe('2027-01-15T08:00:00.000Z');
    expect(brief(history({}, 6_999, [1_000, { [name]: said }]).said())).toEqual([]);
    expect(brief(history({}, 7_000, [1_000, { [name]: said }]).said())).toEqual(['v 7000 #1 last']);
  });

  test('[D1] the same name replaces, null cancels, and both are exact against the log order', () => {
    const log = history(
      {},
      9_000,
      [0, { 'delay-ms': 1_000 }, 'a'],
      [999, { 'delay-ms': 1_000 }, 'b'],
      [1_998, {}, null],
      [2_000, { 'delay-ms': 1_000 }, 'c'],
      [3_000, {}, null],
    );
    expect(brief(log.said())).toEqual(['c 3000 #1 last']);
  });

  test('[D1] two reminders of one key live side by side; null cancels one by its id, or all of the key', () => {
    const rows: Row[] = [
      [0, { 'delay-ms': 5_000, 'schedule-id': 'tea' }],
      [0, { 'delay-ms': 3_000, 'schedule-id': 'bus' }],
      [0, { 'delay-ms': 4_000 }],
    ];
    expect(brief(history({}, 9_000, ...rows).said())).toEqual([
      'v 3000 bus #1 last',
      'v 4000 #1 last',
      'v 5000 tea #1 last',
    ]);
    const cancelled = history({}, 9_000, ...rows, [1, { 'schedule-id': 'bus' }, null]);
    expect(brief(cancelled.said())).toEqual(['v 4000 #1 last', 'v 5000 tea #1 last']);
    const all = history({}, 9_000, ...rows, [1, {}, null]);
    expect(brief(all.said())).toEqual([]);
    expect(all.task.liveEntries).toBe(0);
  });

  test('[D2][C5] those of a key come out in the order of their due instants, however late they are drained', () => {
    const ids = ['a', 'b', 'c'];
    const log = history({}, 90_000, ...ids.map((id, i): Row => [0, { 'delay-ms': 30_000 - i, 'schedule-id': id }]));
    expect(brief(log.said())).toEqual(['v 29998 c #1 last', 'v 29999 b #1 last', 'v 30000 a #1 last']);
  });

  test('[D2] in the past: at once, and counted; too late for its expiry: not at all, and recorded', () => {
    const rows: Row[] = [
      [0, { 'due-at': T - 5_000 }, 'late'],
      [0, { 'due-at': T - 5_000, 'expires-ms': 5_000 }, 'just'],
      [0, { 'due-at': T - 5_000, 'expires-ms': 4_999 }, 'never'],
    ];
    const log = history({ rules: { receipts: 'errors' } }, 0, ...rows);
    expect(brief(log.said())).toEqual(['late -5000 #1 last', 'just -5000 #1 last', 'EXPIRED -5000']);
    expect(log.task.counters).toMatchObject({ scheduleRuns: 2, scheduleRunsInPast: 3, scheduleRunsExpired: 1 });
  });

  test('[D2] a far-late run that must not happen any more: late is what the log says', () => {
    const row: Row = [0, { 'delay-ms': 1_000, 'expires-ms': 60_000 }];
    expect(brief(history({}, 61_000, row).said())).toEqual(['v 1000 #1 last']);
    const late = history({}, 61_001, row);
    expect(brief(late.said())).toEqual([]);
    expect(late.task.counters).toMatchObject({ scheduleRunsExpired: 1 });
    // The clock has reached it in time; that it is drained late changes nothing.
    const log = new ScheduleLog({});
    log.add(T, 'k', row[1]);
    log.add(T + 1_005, null);
    log.commit(false);
    log.restart();
    log.add(T + 500_000, 'other', { 'delay-ms': 1 });
    log.commit();
    expect(brief(log.said())).toEqual(['v 1000 #1 last']);
  });

  test.each([
    [{}, 'no-schedule'],
    [{ 'due-at': T, 'delay-ms': 5 }, 'conflicting-schedule'],
    [{ 'every-ms': 5, cron: 'each 5' }, 'conflicting-schedule'],
    [{ 'due-at': T, 'max-runs': 5 }, 'conflicting-schedule'],
    [{ 'every-ms': 5, 'time-zone': 'UTC' }, 'conflicting-schedule'],
    [{ 'due-at': 'tomorrow' }, 'invalid-due-at'],
    [{ 'due-at': '2027-02-29T08:00:00Z' }, 'invalid-due-at'],
    [{ 'due-at': '2027-02-28T08:00:00' }, 'invalid-due-at'],
    [{ 'due-at': '-5' }, 'invalid-due-at'],
    [{ 'due-at': '9007199254740993' }, 'invalid-due-at'],
    [{ 'delay-ms': '1e3' }, 'invalid-delay-ms'],
    [{ 'delay-ms': -1 }, 'invalid-delay-ms'],
    [{ 'delay-ms': 1e9 + 1 }, 'beyond-horizon'],
    [{ 'due-at': '9999-01-01T00:00:00Z' }, 'beyond-horizon'],
    [{ 'every-ms': 0 }, 'invalid-every-ms'],
    [{ 'every-ms': 5, 'max-runs': 0 }, 'invalid-max-runs'],
    [{ 'every-ms': 5, 'start-at': 'x' }, 'invalid-start-at'],
    [{ 'every-ms': 5_000, 'end-at': T + 4_999 }, 'never-due'],
    [{ 'every-ms': 5, upsert: 'keep' }, 'invalid-upsert'],
    [{ cron: '* *' }, 'invalid-cron'],
    [{ cron: 'each 0' }, 'never-due'],
    [{ cron: 'each 5', 'time-zone': 'Europe/Atlantis' }, 'invalid-time-zone'],
    [{ 'delay-ms': 5, 'expires-ms': 'x' }, 'invalid-expires-ms'],
    [{ 'delay-ms': 5, 'schedule-id': '' }, 'invalid-schedule-id'],
    [{ 'delay-ms': 5, 'schedule-id': 'x'.repeat(257) }, 'invalid-schedule-id'],
    [{ 'delay-ms': 5, target: 'male' }, 'unknown-target'],
    [{ 'delay-ms': 5, target: '' }, 'invalid-target'],
    [{ 'delay-ms': 5, 'jitter-ms': 0 }, 'invalid-jitter-ms'],
    [{ 'delay-ms': 5, 'jitter-ms': 2 ** 31 }, 'invalid-jitter-ms'],
    [{ command: 'STOP' }, 'invalid-command'],
    [{ 'delay-ms': 5, ':large': 'x'.repeat(1_000) }, 'message-too-large'],
  ])('[I1][D1] %j is a dead letter: %s; the next record is taken', (headers, reason) => {
    const log = history({}, 5, [0, headers], [0, { 'delay-ms': 5 }]);
    expect(log.refused).toEqual([{ offset: 0, reason }]);
    expect(brief(log.said())).toEqual(['v 5 #1 last']);
  });

  test('[D3][I1] a period below minEveryMs is a dead letter: one record would ask for a thousand runs a second, for good', () => {
    const log = history({ rules: { minEveryMs: 1_000 } }, 1_000, [0, { 'every-ms': 999 }], [0, { 'every-ms': 1_000 }]);
    expect(log.refused).toEqual([{ offset: 0, reason: 'invalid-every-ms' }]);
    expect(brief(log.said())).toEqual(['v 1000 #1']);
    expect(log.folded().refused).toEqual([0]);
  });

  test('[I1] no reason is made of the name of a header, and what says nothing of a schedule does no harm', () => {
    const notUtf8 = Uint8Array.of(0xff);
    const replayed = { ':flatline-replayed-from': notUtf8, [`:flatline-${'x'.repeat(600_000)}`]: notUtf8 };
    const log = history({}, 5, [0, { 'delay-ms': 5, ...replayed }], [0, { 'delay-ms': 5, 'expires-ms': notUtf8 }]);
    expect(log.refused).toEqual([{ offset: 1, reason: 'invalid-expires-ms' }]);
    expect(brief(log.said())).toEqual(['v 5 #1 last']);
    expect(log.said()[0]!.headers.filter((each) => !/^flatline-(due-at|schedule|run|last)=/.test(each))).toEqual([]);
  });

  test('[I1] a key has so many schedules, and no more; one that is there may be replaced', () => {
    const of = (id: string): Row => [0, { 'delay-ms': 5, 'schedule-id': id }];
    const log = history({}, 5, of('a'), of('b'), of('c'), of('d'), of('b'));
    expect(log.refused).toEqual([{ offset: 3, reason: 'too-many-schedules' }]);
    expect(brief(log.said())).toEqual(['v 5 a #1 last', 'v 5 c #1 last', 'v 5 b #1 last']);
  });

  test('[I1][I4] a key has no more bytes of schedules than the state of an entry may have', () => {
    const rules = { maxSchedulesPerKey: 64, maxMessageBytes: 16_777_216 };
    const large = 'x'.repeat(15_000_000);
    const rows = ['a', 'b', 'c', 'd', 'e'].map((id): Row => [0, { 'delay-ms': 5, 'schedule-id': id }, large]);
    const log = history({ rules }, 4, ...rows, [0, { 'delay-ms': 5, 'schedule-id': 'a' }, `${large}y`]);
    expect(log.refused).toEqual([{ offset: 4, reason: 'too-many-schedules' }]);
    expect(log.task.counters).toMatchObject({ schedulesMade: 5, schedulesReplaced: 1 });
  });
});

describe('jitter and targets', () => {
  /** Keys by the instant at which they come out, of so many that are due together. */
  function spread(jitterMs: number, keys: number): Map<string, number> {
    const log = new ScheduleLog();
    const names = Array.from({ length: keys }, (_, i) => `key-${i}`);
    for (const key of names) log.add(T, key, { 'delay-ms': 1_000, 'jitter-ms': jitterMs });
    const at = new Map<string, number>();
    for (let after = 1_000; at.size < keys && after <= 1_000 + jitterMs; after += 1) {
      log.add(T + after, null);
      log.commit();
      for (const key of names) if (!at.has(key) && log.said(key).length > 0) at.set(key, after - 1_000);
    }
    return at;
  }

  test('[D2] what is due together comes spread over the jitter, never early, each key always at the same instant', () => {
    const at = spread(100, 200);
    expect(at.size).toBe(200);
    const halves = [...at.values()].filter((after) => after < 50).length;
    expect(halves).toBeGreaterThan(60);
    expect(halves).toBeLessThan(140);
    expect(Math.max(...at.values())).toBeLessThan(100);
    expect(spread(100, 200)).toEqual(at);
    expect([...spread(1, 5).values()]).toEqual([0, 0, 0, 0, 0]);
  });

  test('[D2][D3] what recurs stays in order and misses no run, however great its jitter; its instants are said without it', () => {
    const log = new ScheduleLog({ rules: { missed: 'skip' } });
    log.add(T, 'k', { 'every-ms': 1_000, 'jitter-ms': 60_000, 'expires-ms': 10, 'max-runs': 20 });
    for (let at = T; at <= T + 22_000; at += 5) log.add(at, null);
    log.commit();
    expect(brief(log.said())).toEqual(
      Array.from({ length: 20 }, (_, i) => `v ${(i + 1) * 1_000} #${i + 1}${i === 19 ? ' last' : ''}`),
    );
  });

  test('[D2][D3] after an outage the latest run whose instant has passed is still later by its jitter', () => {
    const log = new ScheduleLog();
    log.add(T, 'k', { 'every-ms': 1_000, 'jitter-ms': 1_000 });
    log.add(T + 5_000, null);
    log.commit();
    const early = brief(log.said());
    log.add(T + 5_999, null);
    log.commit();
    expect(early).toEqual([]);
    expect(brief(log.said())).toEqual(['v 5000 #1 missed 4']);
  });

  test('[D1] a message is for the output, or for one of the targets', () => {
    const row = (target: object): Row => [
      0,
      { 'delay-ms': 5, 'schedule-id': JSON.stringify(target).length, ...target },
    ];
    const log = history({}, 5, row({}), row({ target: 'mail' }));
    expect(log.said().map(({ topic }) => topic)).toEqual([undefined, 'mail']);
    expect(log.said()[1]!.headers.join()).not.toContain('target');
    const again = history(
      {},
      3_600_000,
      [0, { 'every-ms': HOUR, target: 'mail' }],
      [5, { 'every-ms': HOUR, target: 'push' }],
    );
    expect(again.said().map(({ topic }) => topic)).toEqual(['push']);
  });
});

describe('a schedule that recurs', () => {
  const every = { 'every-ms': HOUR };

  /** The clock is told each minute. */
  function ticked(settings: ScheduleSettings, minutes: number, ...rows: readonly Row[]): ScheduleLog {
    const log = new ScheduleLog(settings);
    for (let minute = 0; minute <= minutes; minute += 1) {
      for (const [after, headers, value] of rows)
        if (after === minute) log.add(T + minute * 60_000, 'k', headers, value);
      log.add(T + minute * 60_000, null);
    }
    log.commit();
    return log;
  }

  test('[D3] runs each interval, up to so many times, and the last run says so', () => {
    const log = ticked({}, 999, [0, { ...every, 'max-runs': 3 }]);
    expect(brief(log.said())).toEqual(['v 3600000 #1', 'v 7200000 #2', 'v 10800000 #3 last']);
    expect(log.task.liveEntries).toBe(0);
  });

  test('[D3] bounded by a start and an end', () => {
    const when = { ...every, 'start-at': T + 60_000, 'end-at': T + 2 * HOUR };
    expect(brief(ticked({}, 999, [0, when]).said())).toEqual(['v 60000 #1', 'v 3660000 #2 last']);
    const begun = { ...every, 'start-at': T - HOUR / 2, 'end-at': T + 2 * HOUR };
    expect(brief(ticked({}, 999, [0, begun]).said())).toEqual(['v 1800000 #1', 'v 5400000 #2 last']);
  });

  test('[D3][I5] an interval beyond all time: the first run is the last', () => {
    const when = { 'every-ms': Number.MAX_SAFE_INTEGER, 'start-at': T + 60_000 };
    expect(brief(ticked({}, 3, [0, when]).said())).toEqual(['v 60000 #1 last']);
  });

  test('[D3][I1] no calendar is asked for a start beyond the horizon', () => {
    const log = history({}, 5, [0, { cron: 'each 1', 'start-at': 8_640_000_000_000_000 }]);
    expect(log.refused).toEqual([{ offset: 0, reason: 'beyond-horizon' }]);
  });

  test('[D3] published again and again, it neither runs twice nor is postponed, and takes the new value', () => {
    const rows = [0, 30, 60, 90, 120].map((minute): Row => [minute, every, `v${minute}`]);
    expect(brief(ticked({}, 130, ...rows).said())).toEqual(['v30 3600000 #1', 'v90 7200000 #2']);
    const other = ticked({}, 130, [0, every], [30, { 'every-ms': HOUR + 1 }]);
    expect(brief(other.said())).toEqual(['v 5400001 #1']);
    const reset = ticked({}, 130, [0, every], [30, { ...every, upsert: 'reset' }]);
    expect(brief(reset.said())).toEqual(['v 5400000 #1']);
  });

  test('[D3] by an expression: by the calendar, whose version is said', () => {
    const log = ticked({}, 31, [3, { cron: 'each 900', 'time-zone': 'UTC' }]);
    expect(brief(log.said())).toEqual(['v 900000 #1', 'v 1800000 #2']);
    expect(log.said()[0]!.headers).toContain('flatline-tz=2026z');
    const bounded = { cron: 'each 900', 'start-at': T + 900_000, 'end-at': T + 1_800_000 };
    expect(brief(ticked({}, 60, [0, bounded]).said())).toEqual(['v 900000 #1', 'v 1800000 #2 last']);
    expect(brief(ticked({}, 1, [0, { cron: 'each 900', 'start-at': T }]).said())).toEqual(['v 0 #1']);
  });

  /** The clock stands still from the first minute to 5 h 30 min. */
  function outage(missed: 'once' | 'all' | 'skip', rules = {}, headers: Headers = every): string[] {
    const settings = { rules: { missed, receipts: 'errors', ...rules } } as const;
    return brief(history(settings, 5.5 * HOUR, [0, headers], [60_000, { 'delay-ms': 1e9, 'schedule-id': 'x' }]).said());
  }

  test('[D3] missed once: the latest of them runs, and says how many did not', () => {
    expect(outage('once')).toEqual(['v 18000000 #1 missed 4']);
    expect(outage('once', {}, { cron: 'each 3600' })).toEqual(['v 18000000 #1 missed 4']);
    expect(outage('once', {}, { ...every, 'end-at': T + 3 * HOUR })).toEqual(['v 10800000 #1 last missed 2']);
    expect(outage('once', {}, { ...every, 'expires-ms': HOUR / 2 - 1 })).toEqual(['EXPIRED 18000000']);
  });

  test('[D2][D3][C5] made up for, it comes behind what was due before it', () => {
    const rows: Row[] = [
      [0, { 'every-ms': 1_000, 'schedule-id': 'each' }],
      [0, { 'delay-ms': 2_500, 'schedule-id': 'once' }],
    ];
    expect(brief(history({}, 5_000, ...rows).said())).toEqual(['v 2500 once #1 last', 'v 5000 each #1 missed 4']);
  });

  test('[D3] missed all: each of them runs, up to maxCatchUp', () => {
    expect(outage('all')).toEqual([1, 2, 3, 4, 5].map((run) => `v ${run * HOUR} #${run}`));
    expect(outage('all', { maxCatchUp: 2 })).toEqual(['v 3600000 #1', 'v 7200000 #2', 'MISSED 10800000']);
  });

  test('[D3] missed skip: none of them, and the next run says how many', () => {
    const log = history({ rules: { missed: 'skip' } }, 5.5 * HOUR, [0, every]);
    expect(brief(log.said())).toEqual([]);
    log.add(T + 6 * HOUR, null);
    log.commit();
    expect(brief(log.said())).toEqual(['v 21600000 #1 missed 5']);
  });

  test('[D3] what was due longer ago than catchUpWindowMs is missed for good', () => {
    expect(outage('all', { catchUpWindowMs: 2 * HOUR })).toEqual([
      'MISSED 3600000',
      'v 14400000 #1 missed 3',
      'v 18000000 #2',
    ]);
    expect(outage('all', { catchUpWindowMs: 4.5 * HOUR })).toHaveLength(5);
    // One alone, too.
    expect(outage('once', { catchUpWindowMs: HOUR }, { 'every-ms': 4 * HOUR })).toEqual(['MISSED 14400000']);
    expect(outage('once', { catchUpWindowMs: 1.5 * HOUR }, { 'every-ms': 4 * HOUR })).toEqual(['v 14400000 #1']);
  });

  test('[D3] a year of seconds is caught up with at once', () => {
    const rules = { catchUpWindowMs: 1e12 };
    const log = history({ rules }, 31_536_000_500, [0, { cron: 'each 1' }]);
    expect(brief(log.said())).toEqual(['v 31536000000 #1 missed 5']);
  });

  test('[D3][O6] runs that are made up for go into several cuts', () => {
    const settings = { rules: { missed: 'all', maxCatchUp: 100 }, cutBytes: 2_000 } as const;
    const log = history(settings, 90 * HOUR, [0, every, 'x'.repeat(400)]);
    expect(brief(log.said()).map((said) => said.split(' ')[1])).toEqual(
      Array.from({ length: 90 }, (_, i) => String((i + 1) * HOUR)),
    );
  });
});

describe('commands and receipts', () => {
  test('[D4] what is paused does not run; resumed, what runs once and is late runs, what recurs goes on', () => {
    const log = history(
      {},
      4.5 * HOUR,
      [0, { 'delay-ms': HOUR, 'schedule-id': 'once' }],
      [0, { 'every-ms': HOUR, 'schedule-id': 'each' }],
      [60_000, { command: 'PAUSE' }, ''],
      [2.5 * HOUR, { command: 'RESUME' }, null],
      [3.4 * HOUR, { command: 'PAUSE', 'schedule-id': 'each' }],
    );
    expect(brief(log.said())).toEqual(['v 3600000 once #1 last', 'v 10800000 each #1 missed 2']);
  });

  test('[D4] triggered, it runs at once: once more, or for the only time', () => {
    const log = history(
      {},
      3.5 * HOUR,
      [0, { 'delay-ms': HOUR, 'schedule-id': 'once' }],
      [0, { 'every-ms': HOUR, 'schedule-id': 'each', 'max-runs': 3 }],
      [60_000, { command: 'TRIGGER' }],
      [1.5 * HOUR, { command: 'TRIGGER', 'schedule-id': 'once' }],
      [2.5 * HOUR, {}, null],
    );
    expect(brief(log.said())).toEqual([
      'v 60000 once #1 last',
      'v 60000 each #1',
      'v 3600000 each #2',
      'v 7200000 each #3 last',
    ]);
  });

  test.each([
    ['all', ['SCHEDULED 1000', 'REPLACED 2001', 'NOT_FOUND x', 'CANCELLED 2001', 'NOT_FOUND']],
    ['errors', ['NOT_FOUND x', 'NOT_FOUND']],
    ['none', []],
  ] as const)('[D4] receipts %s', (receipts, said) => {
    const log = history(
      { rules: { receipts } },
      5_000,
      [0, { 'delay-ms': 1_000 }],
      [1, { 'delay-ms': 2_000 }],
      [2, { 'schedule-id': 'x' }, null],
      [3, {}, null],
      [4, {}, null],
    );
    expect(brief(log.said())).toEqual(said);
    if (receipts === 'all')
      expect(log.said()[3]).toEqual({
        value: '',
        headers: [
          'flatline-receipt=CANCELLED',
          `flatline-due-at=${T + 2_001}`,
          'flatline-schedule=3-1',
          'flatline-answers=3',
        ],
      });
  });
});

const SEEDS = Number(process.env['SEEDS'] ?? 60);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!;
}

function randomSettings(random: Random): ScheduleSettings {
  const rules = {
    maxHorizonMs: pick(random, [1e9, 60_000]),
    missed: pick(random, ['once', 'all', 'skip'] as const),
    maxCatchUp: 1 + random.below(6),
    catchUpWindowMs: pick(random, [1e9, 8_000]),
    receipts: pick(random, ['none', 'errors', 'all'] as const),
    maxSchedulesPerKey: 1 + random.below(4),
  };
  const cutBytes = random.chance(0.3) ? 600 : undefined;
  return { rules, groupMax: 1 + random.below(6), ...(cutBytes !== undefined && { cutBytes }) };
}

/** UTF-8 of one to four bytes, and what objects are made of. */
const NAMES = ['a', 'é', '\ufeffx', '😀', '__proto__'] as const;

function randomHeaders(random: Random, now: number): Headers {
  const id = random.chance(0.5) ? { 'schedule-id': pick(random, NAMES) } : {};
  const more = random.chance(0.3) ? { 'expires-ms': random.below(3_000) } : {};
  const jitter = random.chance(0.3) ? { 'jitter-ms': 1 + random.below(4_000) } : {};
  const to = random.chance(0.3) ? { target: pick(random, ['mail', 'push', 'other']) } : {};
  const foreign = random.chance(0.3) ? { [`:${pick(random, NAMES)}`]: pick(random, NAMES) } : {};
  if (random.chance(0.15)) return { ...id, command: pick(random, ['PAUSE', 'RESUME', 'TRIGGER', 'STOP']) };
  const bounds = {
    ...(random.chance(0.3) && { 'max-runs': 1 + random.below(5) }),
    ...(random.chance(0.3) && { 'start-at': now - 5_000 + random.below(10_000) }),
    ...(random.chance(0.1) && { 'start-at': Math.ceil(now / 1_000 + random.below(3)) * 1_000 }),
    ...(random.chance(0.3) && { 'end-at': now + random.below(30_000) }),
    ...(random.chance(0.1) && { upsert: 'reset' }),
  };
  const when = pick<Headers>(random, [
    { 'due-at': now - 2_000 + random.below(20_000) },
    { 'due-at': new Date(now + random.below(10_000)).toISOString() },
    { 'delay-ms': random.below(9_000) },
    { 'every-ms': 500 + random.below(5) * 700, ...bounds },
    { 'every-ms': 1_000 },
    { 'every-ms': 2 ** 53 - 1, 'start-at': now + random.below(5_000), ...(random.chance(0.3) && { upsert: 'reset' }) },
    { cron: `each ${random.below(4)}`, ...bounds },
    { cron: 'each 2' },
    { 'delay-ms': 70_000 },
    { 'due-at': 'soon' },
  ]);
  return { ...id, ...more, ...jitter, ...to, ...foreign, ...when };
}

/** Publishers that say the same again, cancels, commands, outages, and restarts in between. */
function storm(log: ScheduleLog, random: Random): void {
  let at = T;
  for (let i = 0; i < 120; i += 1) {
    at += random.chance(0.1) ? random.below(9_000) : random.below(600);
    const key = `k${random.below(3)}`;
    if (random.chance(0.3)) log.add(at, null);
    else if (random.chance(0.15))
      log.add(at, key, random.chance(0.5) ? { 'schedule-id': pick(random, NAMES) } : {}, null);
    else log.add(at, key, randomHeaders(random, at), pick(random, ['', 'v', '{"a":1}']));
    if (random.chance(0.2)) log.commit(random.chance(0.5));
    if (random.chance(0.1)) {
      log.commit(random.chance(0.5));
      log.restart();
    }
  }
  log.add(at + 100_000, null);
  log.commit();
}

describe('schedules against the naive fold', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[D1][D2][D3][D4][C5][R1] seed %i: each run once, as the rules say, through restarts (rerun: SEED)',
    (seed) => {
      const random = seededRandom(seed);
      const log = new ScheduleLog(randomSettings(random));
      storm(log, random);
      const { all, refused } = log.folded();
      expect(log.all()).toEqual(all);
      expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
    },
  );
});
