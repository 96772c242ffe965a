// Schedules on the engine, rule by rule. At random: schedule-histories.test.ts.
import { describe, expect, test } from '@jest/globals';
import { routingOf } from '@flatline/kinds/routing';
import { scheduleSaid } from '@flatline/kinds/schedule';
import { foreseen } from '@flatline/schedules';
import { brief, calendar, type Headers, history, HOUR, type Row, ScheduleLog, T } from './schedules.fixture.ts';
import { bytes, text } from '../../task.fixture.ts';
import { WALL } from '../kind-log.fixture.ts';

describe('many that are due at once', () => {
  const MANY = 2_000;

  /** They are due at a second; the clock has reached it, and little has come out. */
  function burst(headers: Headers = {}): ScheduleLog {
    const log = new ScheduleLog({ groupMax: 32 });
    for (let i = 0; i < MANY; i += 1) log.add(T, `many ${i}`, { 'due-at': T + 1_000, ...headers });
    log.add(T, 'behind', { 'due-at': T + 1_500 });
    log.add(T + 1_000, null);
    log.commit(false);
    log.task.expire(32, WALL);
    return log;
  }

  test('[D2][C5] hold up neither the clock nor what is due behind them', () => {
    const log = burst();
    log.add(T + 1_500, null);
    log.commit(false);
    expect(log.task.clock.now).toBe(T + 1_500);
    log.task.expire(64, WALL);
    log.commit(false);
    expect(brief(log.said('behind'))).toEqual(['v 1500 #1 last']);
    expect(log.task.liveEntries).toBeGreaterThan(MANY - 128);
    log.restart();
    log.commit();
    for (let i = 0; i < MANY; i += 1) expect(log.said(`many ${i}`)).toHaveLength(1);
  });

  test('[X6] say that more is due only where it is, also where none may take effect by now', () => {
    const log = new ScheduleLog();
    log.add(T, 'k', { 'due-at': T + 1_000 });
    expect(log.task.expire(0, WALL)).toBe(false);
    log.add(T + 1_000, null);
    log.commit(false);
    expect(log.task.expire(0, WALL)).toBe(true);
    log.commit();
    expect(log.said('k')).toHaveLength(1);
    expect(log.task.expire(0, WALL)).toBe(false);
  });

  test('[D1] take effect before a record of their key, though it is later than their instant', () => {
    const log = burst();
    log.add(T + 1_700, 'many 1900', {}, null);
    log.commit(false);
    expect(brief(log.said('many 1900'))).toEqual(['v 1000 #1 last']);
    expect(log.task.counters).toMatchObject({ schedulesCancelled: 0, schedulesNotFound: 1 });
  });

  test.each<[string, Headers]>([
    ['that expire', { 'due-at': T + 1_000, 'expires-ms': 200 }],
    ['that recur', { 'every-ms': 1_000, 'start-at': T + 1_000, 'max-runs': 1 }],
  ])('[D2][D3] %s take effect before the clock goes on, and a late slice changes nothing', (_, headers) => {
    const log = new ScheduleLog({ groupMax: 32 });
    for (let i = 0; i < 200; i += 1) log.add(T, `many ${i}`, headers);
    log.add(T + 1_000, null);
    log.commit(false);
    log.add(T + 9_000, null);
    log.commit(false);
    for (let i = 0; i < 200; i += 1) expect(brief(log.said(`many ${i}`))).toEqual(['v 1000 #1 last']);
  });

  test('[D3] one that comes to recur goes first from then on, and one that does not any more may wait', () => {
    const log = new ScheduleLog();
    log.add(T, 'k', { 'due-at': T + 1_000, 'schedule-id': 'once' });
    log.add(T, 'k', { 'every-ms': 1_000, 'start-at': T + 2_000, 'schedule-id': 'often' });
    log.add(T, 'l', { 'every-ms': 1_000, 'start-at': T + 1_000 });
    log.add(T, 'l', { 'due-at': T + 1_000 });
    log.add(T + 1_000, null);
    log.commit(false);
    log.add(T + 5_000, null);
    log.commit(false);
    expect(brief(log.said('k'))[0]).toBe('v 1000 once #1 last');
    expect(brief(log.said('l'))).toEqual(['v 1000 #1 last']);
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

  test('[D1] what always begins again may say so: published again it replaces', () => {
    const row = (after: number): Row => [after, { 'delay-ms': 1_000, upsert: 'reset' }];
    const log = history({}, 9_000, row(0), row(500));
    expect(brief(log.said())).toEqual(['v 1500 #1 last']);
    expect(log.folded()).toEqual({ all: log.all(), refused: [] });
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

  test('[D2][I1] due more than a year before its record, as in seconds since the epoch: a dead letter with value and remedy', () => {
    const year = 365 * 86_400_000;
    const log = new ScheduleLog();
    for (const dueAt of [T / 1_000, '2026-01-15T07:59:59.999Z', T - year - 1, T - year, T - 1])
      log.add(T, 'k', { 'due-at': dueAt });
    log.commit();
    const reason = 'invalid-due-at';
    expect(log.refused.map((each) => [each.offset, each.reason])).toEqual([0, 1, 2].map((offset) => [offset, reason]));
    expect(brief(log.said())).toEqual([`v ${-year} #1 last`, 'v -1 #1 last']);
    expect(log.folded()).toEqual({ all: log.all(), refused: [0, 1, 2] });
    expect(longPastDetail(T / 1_000)).toBe(
      'flatline-due-at is 1800000000, more than a year before its record, of 1800000000000: it is in milliseconds, and 1800000000 in seconds would be 1800000000000',
    );
    expect(longPastDetail(5)).toBe('flatline-due-at is 5, more than a year before its record, of 1800000000000');
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
    [{ 'delay-ms': '5'.padStart(17, '0') }, 'invalid-delay-ms'],
    [{ 'every-ms': '5'.padStart(17, '0') }, 'invalid-every-ms'],
    [{ 'delay-ms': 5, 'jitter-ms': '5'.padStart(17, '0') }, 'invalid-jitter-ms'],
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
    [{ 'delay-ms': 5, 'jitter-ms': -1 }, 'invalid-jitter-ms'],
    [{ 'delay-ms': 5, upsert: 'keep' }, 'invalid-upsert'],
    [{ 'delay-ms': 5, 'jitter-ms': 2 ** 31 }, 'invalid-jitter-ms'],
    [{ command: 'STOP' }, 'invalid-command'],
    [{ 'delay-ms': 5, ':large': 'x'.repeat(1_000) }, 'message-too-large'],
  ])('[I1][D1] %j is a dead letter: %s; the next record is taken', (headers, reason) => {
    const log = history({}, 5, [0, headers], [0, { 'delay-ms': 5 }]);
    expect(log.refused).toEqual([{ offset: 0, reason }]);
    expect(log.folded().refused).toEqual([0]);
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

  test('[D2][D3] a jitter of 0 is none, and says the same as none', () => {
    const log = history(
      {},
      2_500,
      [0, { 'every-ms': 1_000 }],
      [1_500, { 'every-ms': 1_000, 'jitter-ms': 0 }],
      [1_500, { 'delay-ms': 500, 'jitter-ms': 0, 'schedule-id': 'once' }],
    );
    expect(brief(log.said())).toEqual(['v 1000 #1', 'v 2000 #2', 'v 2000 once #1 last']);
    expect(log.folded()).toEqual({ all: log.all(), refused: [] });
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

  test('[D1] a message is for the output, named or not, or for one of the targets', () => {
    const row = (target: object): Row => [
      0,
      { 'delay-ms': 5, 'schedule-id': JSON.stringify(target).length, ...target },
    ];
    const log = history({}, 5, row({}), row({ target: 'mail' }), row({ target: 'runs-out' }));
    expect(log.refused).toEqual([]);
    expect(log.said().map(({ topic }) => topic)).toEqual([undefined, 'mail', undefined]);
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

test.each<[string, Headers]>([
  ['that is alone', { 'delay-ms': 10 }],
  ['that expires', { 'delay-ms': 10, 'expires-ms': HOUR }],
  ['that recurs', { 'every-ms': 10, 'max-runs': 2 }],
])('[P3] a run %s and cannot be routed is a letter of what it said, whatever takes its place', (_, headers) => {
  const routing = routingOf(scheduleSaid, [{ to: 't', key: '/headers/missing' }], () => 1);
  const log = new ScheduleLog({ routing });
  log.add(T, 'k', { ...headers, ':trace': 'one' }, 'the message');
  log.add(T + 10, null);
  for (let i = 0; i < 20; i += 1) log.add(T + 11, 'k', { 'due-at': T + HOUR }, 'overwritten '.repeat(i));
  log.commit();
  const [letter] = log.letters;
  expect(letter).toMatchObject({ reason: 'unroutable', detail: 'routes[0] to t: key: nothing at /headers/missing' });
  const [said] = log.said();
  expect([text(letter!.key!), text(letter!.value!)]).toEqual(['k', 'the message']);
  expect(letter!.headers.map(({ name, value }) => `${name}=${text(value!)}`)).toEqual(said!.headers);
});

test('[X7] however wide a tick is, those that are due later in it are not looked at with each move of the clock', () => {
  const log = new ScheduleLog({ tickMs: 60_000 });
  for (let due = 1; due <= 50; due += 1) log.add(T, `k${due}`, { 'due-at': T + due * 1_000 });
  log.add(T + 1_000, null);
  log.commit();
  const { entries } = log.task.timers()!;
  expect(entries).toHaveLength(49);
  // In one tick they would all be waited for as the first is.
  for (const { dueAt, armedFor } of entries) expect(dueAt - armedFor!).toBeLessThan(3_000);
});

/** Returns the dead letter's detail for a schedule that is due at `dueAt`. */
function longPastDetail(dueAt: number): string | undefined {
  const value = bytes('v');
  const headers = [{ name: 'flatline-due-at', value: bytes(String(dueAt)) }];
  const { rules } = new ScheduleLog();
  const said = foreseen({ headers, bytes: value, start: 0, length: value.length }, T, rules, calendar);
  return said.kind === 'bad' ? said.detail : undefined;
}
