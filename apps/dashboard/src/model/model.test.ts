// The page's reckoning from the processor's facts, without a browser.
import { effect } from '@preact/signals';
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bySoonest, columnsOf, dueWord, fieldWord, keyPath, originOf } from './entry.ts';
import { placesToBegin } from './places-to-begin.ts';
import { FactStore } from './fact-store.ts';
import type { FiguresFact, NowFact, PartFact } from './facts.ts';
import { delayFinding, liveFinding, mapFinding, reasonFinding } from './findings.ts';
import { canGoBack, lettersFinding, replayWord } from './letters.ts';
import { lineReader } from './lines.ts';
import { isUnderWay, limitOf, LIST_MAX, listFinding, NOTHING_LISTED, soonestOfAll, withPage } from './listing.ts';
import { moveBetween } from './moves.ts';
import { ROW_PX, rowWindow } from './row-window.ts';
import {
  delayBound,
  delaysOf,
  ratesOf,
  reasonsOf,
  recentDelays,
  type Sample,
  sampleOf,
  SAMPLES_MAX,
  withSample,
} from './samples.ts';
import { cellRows, windowFinding } from './statistics.ts';
import { heardBetween, inOrder, lifeOf, outputMark, outputMarks } from './timeline.ts';
import { whyOpen } from './why-open.ts';
import { duration, instant, moment, rate } from './words.ts';

const SCRIPT_BYTES_MAX = 80_000;
const NOW = 1_700_000_000_000;
const figures = (changes: Partial<FiguresFact> = {}): FiguresFact => ({
  partitions: 2,
  standbys: 0,
  live: 7,
  lag: 0,
  read: 100,
  ended: 10,
  reasons: { TIMEOUT: 8, ENDED: 2 },
  delays: [
    [10, 5],
    [100, 4],
    [null, 1],
  ],
  deadLetters: 0,
  ...changes,
});
const part = (changes: Partial<PartFact> = {}): PartFact => ({
  role: 'owner',
  owner: 'a',
  standbys: [],
  state: 'running',
  ...changes,
});

describe('facts', () => {
  test('what depends on one is told when that one changes, and of no other', () => {
    const store = new FactStore();
    const seen: unknown[] = [];
    effect(() => {
      seen.push(store.part('visits', 0)?.owner);
    });
    store.take({ facts: { 'part/visits/0': part() } });
    store.take({ facts: { 'part/visits/1': part(), 'now/visits/0': [1, 2, 3] } });
    store.take({ facts: { 'part/visits/0': part({ owner: 'b' }) } });
    store.take({ facts: {}, gone: ['part/visits/0'] });
    expect(seen).toEqual([undefined, 'a', 'b', undefined]);
  });

  test('figures come and go with their instances, and all go with the connection', () => {
    const store = new FactStore();
    const names: string[][] = [];
    effect(() => {
      names.push(store.figures('visits').map(([name]) => name));
    });
    store.take({
      facts: { 'figures/visits/b/2': figures(), 'figures/visits/a': figures(), 'figures/other/c': figures() },
    });
    store.take({ facts: {}, gone: ['figures/visits/a'] });
    store.clear();
    expect(names).toEqual([[], ['a', 'b/2'], ['b/2'], []]);
  });

  test('lines are whole, however they come', () => {
    const lines: string[] = [];
    const take = lineReader((line) => lines.push(line));
    for (const piece of ['{"a"', ':1}\n{"b":2}\n', '', '{"c":3}\n{"d"']) take(piece);
    expect(lines).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  });
});

describe('figures', () => {
  test('are those of all instances together', () => {
    const both = [figures(), figures({ live: 3, reasons: { TIMEOUT: 1, EVICTED: 40 } })];
    expect(sampleOf(5, both)).toEqual({
      atMs: 5,
      live: 10,
      read: 200,
      ended: 20,
      delays: delaysOf(both),
      instances: 2,
    });
    expect(reasonsOf(both)).toEqual([
      ['EVICTED', 40],
      ['TIMEOUT', 9],
      ['ENDED', 2],
    ]);
    expect(delaysOf(both)).toEqual([
      [10, 10],
      [100, 8],
      [null, 2],
    ]);
  });

  test('a rate is over five seconds, and none over the beginning of another connection', () => {
    const sample = (atMs: number, read: number): Sample => ({
      atMs,
      live: 1,
      read,
      ended: read / 10,
      delays: [],
      instances: 1,
    });
    expect(ratesOf([])).toBeUndefined();
    expect(ratesOf([sample(0, 0)])).toBeUndefined();
    const samples = [sample(0, 0), sample(4_000, 100), sample(9_000, 200)];
    expect(ratesOf(samples)).toEqual({ recordsPerS: 20, closesPerS: 2 });
    expect(ratesOf([...samples, sample(9_500, 0)])).toBeUndefined();
    expect(ratesOf([...samples, sample(9_500, 0), sample(10_500, 40)])).toEqual({ recordsPerS: 40, closesPerS: 4 });
  });

  test('samples of one moment are one, and there is a most', () => {
    let samples: readonly Sample[] = [];
    for (let at = 0; at < SAMPLES_MAX + 9; at += 1)
      samples = withSample(samples, { atMs: at, live: at, read: 0, ended: 0, delays: [], instances: 1 });
    expect([samples.length, samples[0]!.atMs]).toEqual([SAMPLES_MAX, 9]);
    samples = withSample(samples, { ...samples.at(-1)!, live: -1 });
    expect([samples.length, samples.at(-1)!.live]).toEqual([SAMPLES_MAX, -1]);
  });

  test('close delays have a bound for a share', () => {
    const { delays } = figures();
    expect([0.5, 0.9, 0.99].map((share) => delayBound(delays, share))).toEqual([10, 100, Infinity]);
    expect(delayBound([], 0.5)).toBeUndefined();
  });

  test('delays are those of the samples that there are; of all, where none has come since; none before another connection', () => {
    const sample = (atMs: number, ...counts: readonly [number, number]): Sample => ({
      ...sampleOf(atMs, []),
      delays: [
        [10, counts[0]],
        [null, counts[1]],
      ],
    });
    expect(recentDelays([])).toEqual({ bins: [], overMs: undefined });
    expect(recentDelays([sample(0, 900, 7)])).toEqual({ bins: sample(0, 900, 7).delays, overMs: undefined });
    const samples = [sample(0, 900, 7), sample(500, 900, 7), sample(1_000, 904, 7)];
    expect(recentDelays(samples)).toEqual({ bins: sample(0, 4, 0).delays, overMs: 1_000 });
    expect(recentDelays([...samples, sample(1_500, 2, 0), sample(2_500, 3, 1)])).toEqual({
      bins: sample(0, 1, 1).delays,
      overMs: 1_000,
    });
  });

  test('of an instance of which the page hears later are no delays of the last minutes', () => {
    const sample = (atMs: number, instances: number, count: number): Sample => ({
      ...sampleOf(atMs, []),
      instances,
      delays: [[10, count]],
    });
    const samples = [sample(0, 1, 4), sample(500, 2, 904), sample(1_500, 2, 905)];
    expect(recentDelays(samples)).toEqual({ bins: [[10, 1]], overMs: 1_000 });
  });
});

test.each<[Partial<PartFact>, NowFact | undefined, string]>([
  [{}, [NOW, 7, 0, 0, 0, NOW + 3_200], 'none is due before 22:13:23.200, in 3.2 s'],
  [{}, [NOW - 900, 7, 0, 0, 0, NOW - 500], 'waits for proof: no record is stamped 22:13:19.500 or later'],
  [{}, [NOW, 0, 0, 0, 0, null], 'has nothing live'],
  [{}, [NOW, 7, 5_000, 0, 0, NOW + 1], 'reads first: 5,000 records may still prove life'],
  [{}, [NOW, 7, 5_000, 1_500, 0.2, NOW], 'closes now, 1.5 s behind'],
  [{}, [NOW, 7, 0, 1_500, 1, NOW], 'waits for a commit'],
  [{}, undefined, 'is not told yet'],
  [{ detail: 'no broker' }, [NOW, 7, 0], 'no broker'],
  [{ state: 'stopped', detail: 'its log was cut' }, undefined, 'is stopped: its log was cut'],
  [{ state: 'restoring' }, undefined, 'is restoring'],
  [{ role: 'standby', owner: 'b', state: 'following' }, [NOW, 7, 0], 'b closes; a standby is here'],
])('%j, %j: %s', (changes, now, why) => {
  expect(whyOpen(part(changes), now, NOW)).toBe(why);
});

test('of a partition that is elsewhere the owner is named, where there is one', () => {
  const elsewhere = { owner: 'b', standbys: [], state: 'elsewhere' };
  expect(whyOpen(elsewhere, undefined, NOW)).toBe('b closes, and does not tell this instance');
  expect(whyOpen({ ...elsewhere, owner: null }, undefined, NOW)).toBe('has no owner yet');
});

test('a rebalance is told move by move', () => {
  expect(moveBetween(part(), part())).toBeUndefined();
  expect(moveBetween(undefined, part())).toBeUndefined();
  const moved = { owner: 'b', standbys: ['a'], state: 'elsewhere' };
  expect(moveBetween(part(), moved)).toBe('from a to b; standbys: a');
  expect(moveBetween(part({ owner: null }), part({ state: 'restoring' }))).toBe('from no instance to a; is restoring');
  expect(moveBetween(part(), part({ state: 'stopped', detail: 'no topic' }))).toBe('is stopped; no topic');
});

describe('entries', () => {
  test('are in the order in which they are due, with what is never due last', () => {
    const [late, soon, never] = [{ dueAt: 9 }, { firesAt: 4 }, { dueAt: null }];
    expect(bySoonest([late, never, soon])).toEqual([soon, late, never]);
    expect([late, soon, never].map((each) => dueWord(each, 5, 5))).toEqual(['in 4 ms', 'due, waits for proof', '–']);
    // It may have ended since it was listed.
    expect(dueWord(late, 12, 5)).toBe('was due 3 ms ago');
  });

  test('a row says who holds, who waits, and how often', () => {
    const said = (kind: string, entry: object): string[] => columnsOf(kind).map(({ of }) => of(entry as never));
    expect(
      said('lease', { requestId: 'a', token: '3', renewals: 2, waiters: [{ requestId: 'b' }, { requestId: 'c' }] }),
    ).toEqual(['a', '3', '–', '2', 'b, c']);
    expect(
      said('schedule', { scheduleId: 'x', cron: '0 9 * * *', timeZone: 'Europe/Berlin', runs: 4, paused: true }),
    ).toEqual(['x', '0 9 * * * (Europe/Berlin)', '4', '–', 'paused']);
  });

  test('a row of a kind that the page does not know says all of its fields', () => {
    const entry = { key: 'a', partition: 3, endsAt: 9, openedAt: 0, count: 2, limit: 5 };
    expect(columnsOf('quota', [entry]).map(({ head }) => head)).toEqual(['openedAt', 'count', 'limit']);
    expect(columnsOf('quota')).toEqual([]);
    expect(dueWord(entry, 5, 5)).toBe('in 4 ms');
  });

  test('attributes are words, and none are none', () => {
    const { of } = columnsOf('session').find(({ head }) => head === 'Attributes')!;
    expect([of({ attributes: { gateway: 'g7', tier: 2 } }), of({ attributes: {} }), of({})]).toEqual([
      'gateway g7, tier 2',
      '–',
      '–',
    ]);
  });

  test('fields are in words: instants, and as of where an answer is', () => {
    const asOf = { clock: NOW, position: 1_236 };
    expect(fieldWord('startedAt', NOW)).toBe('2023-11-14 22:13:20');
    expect(fieldWord('asOf', asOf)).toBe('clock 2023-11-14 22:13:20, position 1,236');
    expect(fieldWord('countsByType', { BEAT: 2 })).toBe('{"BEAT":2}');
  });

  test('a key of any bytes has a path', () => {
    expect(keyPath({ key: 'a/b:é' })).toBe('a%2Fb%3A%C3%A9');
    expect(keyPath({ key: '\ufffd', keyBase64: '/wA=' })).toBe('%ff%00');
  });
});

describe('a list', () => {
  const entries = (count: number, from = 0): { key: string; deadlineAt: number }[] =>
    Array.from({ length: count }, (_, at) => ({ key: `k${from + at}`, deadlineAt: 100_000 - from - at }));

  test('grows page by page up to ten thousand, soonest due first, and says how far it is', () => {
    let listed = NOTHING_LISTED;
    expect(listFinding(listed, 'session')).toBe('What is due next?');
    for (let page = 0; isUnderWay(listed); page += 1) {
      expect(limitOf(listed)).toBe(1_000);
      listed = withPage(listed, 200, { entries: entries(1_000, 1_000 * page), after: `p${page}` }, 7);
      if (page === 1) expect(listFinding(listed, 'session')).toBe('Of 2,000 sessions so far k1999 is due next');
    }
    expect([listed.entries.length, listed.after]).toEqual([LIST_MAX, 'p9']);
    expect(listFinding(listed, 'session')).toBe('Of the first 10,000 sessions k9999 is due next');
  });

  test('that is whole says so, and names what is missing, once', () => {
    const moving = { partition: 3, detail: 'moving' };
    const first = withPage(NOTHING_LISTED, 200, { entries: entries(1), after: 'x', unanswered: [moving] }, 7);
    const whole = withPage(first, 200, { unanswered: [moving] }, 8);
    expect(listFinding(whole, 'lease')).toBe('Of 1 lease k0 is due next');
    expect(whole.missing).toEqual(['partition 3 is missing: moving']);
    const none = withPage(NOTHING_LISTED, 200, {}, 7);
    expect([listFinding(none, 'lease'), isUnderWay(none)]).toEqual(['No lease lives here', false]);
  });

  test('of which a page is refused ends there, and does not pass for the whole', () => {
    const none = withPage(NOTHING_LISTED, 403, { error: 'needs read' }, 7);
    expect([listFinding(none, 'lease'), none.missing, isUnderWay(none)]).toEqual([
      'What lives here is not known',
      ['needs read'],
      false,
    ]);
    const unanswered = [{ partition: 3, detail: 'moving' }];
    expect(listFinding(withPage(NOTHING_LISTED, 200, { unanswered }, 7), 'lease')).toBe('What lives here is not known');
    const first = withPage(NOTHING_LISTED, 200, { entries: entries(2), after: 'x' }, 7);
    const cut = withPage(first, 0, { error: 'the processor cannot be reached' }, 8);
    expect([listFinding(cut, 'lease'), cut.after, isUnderWay(cut)]).toEqual([
      'Of the first 2 leases k1 is due next',
      'x',
      false,
    ]);
  });

  test('that is cut is told what is due next of all, by what partitions tell', () => {
    const nows: (NowFact | undefined)[] = [
      [1, 1, 0, 0, 0, 900],
      undefined,
      [1, 1, 0, 0, 0, 700],
      [1, 0, 0, 0, 0, null],
    ];
    expect(soonestOfAll(nows, 500)).toBe('Of all, the next is due in 200 ms, in partition 2.');
    expect(soonestOfAll(nows, 800)).toBe('Of all, the next is due now, in partition 2.');
    expect(soonestOfAll([undefined], 0)).toBeUndefined();
  });

  test('of any length draws few rows, always those in sight, and the same while it is scrolled a little', () => {
    let windows = 0;
    let before = rowWindow(-1, 0);
    for (let top = 0; top <= 10_000 * ROW_PX - 510; top += 97) {
      const { from, to } = rowWindow(top, 10_000);
      expect(to - from).toBeLessThanOrEqual(55);
      expect(from * ROW_PX).toBeLessThanOrEqual(top);
      expect(to * ROW_PX).toBeGreaterThanOrEqual(top + 510);
      if (from !== before.from || to !== before.to) windows += 1;
      before = { from, to };
    }
    expect(windows).toBeLessThanOrEqual(10_000 / 8 + 1);
    expect(rowWindow(1_000_000, 3)).toEqual({ from: 3, to: 3 });
  });
});

describe('a life', () => {
  const entry = { incarnation: '3-1204', startedAt: 10, lastSeenAt: 40, eventCount: 3, deadlineAt: 90 };

  test('goes from the record that opened it to those that came out', () => {
    expect(originOf(entry)).toBe('by the record at offset 1204 of partition 3');
    const out = [
      outputMark({ partition: 3, offset: 7, timestamp: 95, value: { state: 'CLOSED', reason: 'TIMEOUT' } }),
      outputMark({ partition: 3, offset: 8, timestamp: 96, value: null }),
    ];
    expect(inOrder([...out, ...lifeOf(entry, 50), out[0]!]).map(({ atMs, what }) => `${atMs} ${what}`)).toEqual([
      '10 opened by the record at offset 1204 of partition 3',
      '40 last heard',
      '90 due, in 40 ms',
      '95 CLOSED by TIMEOUT at offset 7 of partition 3 of the output',
      '96 tombstone at offset 8 of partition 3 of the output',
    ]);
  });

  test('that is over is told from the record that opened it to the one that closed it, by its last output alone', () => {
    const closed = { ...entry, lastOffset: 1_300, state: 'CLOSED', reason: 'TIMEOUT' };
    const marks = outputMarks({ partition: 3, offset: 7, timestamp: 95, value: closed });
    expect(inOrder([...marks, ...marks]).map(({ atMs, what }) => `${atMs} ${what}`)).toEqual([
      '10 opened by the record at offset 1204 of partition 3',
      '40 last heard by the record at offset 1300, 3 in all',
      '95 CLOSED by TIMEOUT at offset 7 of partition 3 of the output',
    ]);
    const lease = { type: 'EXPIRED', grantedAt: 20, reason: 'TIMEOUT' };
    const headers = { 'flatline-incarnation': '3-9' };
    expect(outputMarks({ partition: 3, offset: 8, timestamp: 99, value: lease, headers })[0]).toEqual({
      atMs: 20,
      what: 'opened by the record at offset 9 of partition 3',
    });
    const window = { windowId: '3-9', openedAt: 30, reason: 'QUIET' };
    expect(outputMarks({ partition: 3, offset: 8, timestamp: 99, value: window })[0]).toEqual({
      atMs: 30,
      what: 'opened by the record at offset 9 of partition 3',
    });
    // The value of a run is the message of whoever made the schedule, whatever its fields are called.
    const run = { partition: 3, offset: 8, timestamp: 99, value: closed, headers: { 'flatline-schedule': '3-2' } };
    expect(outputMarks(run)).toEqual([{ atMs: 99, what: 'said at offset 8 of partition 3 of the output' }]);
    for (const value of [{ ...closed, state: 'UPDATED', reason: '' }, { ...lease, type: 'REJECTED' }, null, 'text'])
      expect(outputMarks({ partition: 3, offset: 9, timestamp: 99, value })).toHaveLength(1);
  });

  test('before one looks is asked for from places behind the snapshot, then from the snapshot itself', () => {
    expect(placesToBegin('1f0c6a2e.4.3.7ps')).toEqual([
      '1f0c6a2e.4.3.0',
      '1f0c6a2e.4.3.6y0',
      '1f0c6a2e.4.3.7n0',
      '1f0c6a2e.4.3.7ps',
    ]);
    // Anything that comes while it asks again lies behind that place, even where nothing had come before.
    expect(placesToBegin('1f0c6a2e.4.3.0')).toEqual(['1f0c6a2e.4.3.0']);
    expect([placesToBegin('1f0c6a2e.2.all.1-2'), placesToBegin('')]).toEqual([[], []]);
  });

  test('has what is heard while one looks, but not of another life', () => {
    expect(heardBetween(undefined, entry)).toBeUndefined();
    expect(heardBetween(entry, entry)).toBeUndefined();
    expect(heardBetween(entry, { ...entry, lastSeenAt: 60, eventCount: 5 })).toEqual({
      atMs: 60,
      what: 'heard, 2 times',
    });
    expect(heardBetween(entry, { ...entry, incarnation: '3-1300', lastSeenAt: 60 })).toBeUndefined();
  });
});

test('dead letters are told by what refused them, and those that were replayed are done', () => {
  const letter = {
    place: '3/7',
    writtenAt: NOW,
    reason: 'null-key',
    detail: '',
    valueBytes: 4,
    replays: 0,
    isWhole: true,
  };
  const one = { ...letter, origin: { topic: 'in', partition: 3, offset: 9 } };
  expect(lettersFinding([])).toBe('No record was refused of late');
  expect(lettersFinding([one, { ...one, replays: 1 }])).toBe('1 refused of late, all as null-key');
  expect(lettersFinding([one, { ...one, reason: 'late' }, one])).toBe('3 refused of late, 2 of them as null-key');
  expect(lettersFinding([{ ...one, replays: 1 }])).toBe('All that was refused of late was replayed');
  expect([one, { ...one, replays: 1 }, { ...one, isWhole: false }].map(canGoBack)).toEqual([true, false, false]);
  expect(replayWord(202, { replayed: [{ place: '3/7' }], left: [{ place: '3/8', why: 'there is no letter' }] })).toBe(
    '1 sent back; 3/8 stays: there is no letter',
  );
  expect([replayWord(403, { error: 'needs admin' }), replayWord(502, {})]).toEqual([
    'needs admin',
    'the processor answers 502',
  ]);
});

test('a window of statistics is told in a sentence, and its cells in rows', () => {
  const duration = { count: 3, p50: 1_000, p90: null, p99: 90_000, max: 91_000 };
  const cell = {
    dimensions: { plan: 'pro' },
    opened: 4,
    closed: 3,
    active: 1,
    byReason: { TIMEOUT: 3, ENDED: 0 },
    duration,
  };
  const window = { windowStart: NOW - 60_000, windowEnd: NOW, partitions: [0], opened: 4, closed: 3, active: 1 };
  expect(windowFinding({ ...window, cells: [cell], truncated: false }, 'session')).toBe(
    'In the 1 min up to 2023-11-14 22:13:20 4 sessions opened and 3 closed; 1 were open at its end',
  );
  expect(cellRows([{ ...cell, dimensions: {}, closed: 1 }, cell])).toEqual([
    ['plan pro', '4', '3', '1', '1 s', '1.5 min', '1.5 min', 'TIMEOUT 3'],
    ['all', '4', '1', '1', '1 s', '1.5 min', '1.5 min', 'TIMEOUT 3'],
  ]);
});

test('names of charts say what they find', () => {
  expect(liveFinding([])).toBe('Nothing has been seen yet');
  expect(liveFinding([100, 101])).toBe('101 are live, steadily');
  expect(liveFinding([100, 60])).toBe('60 are live, 40 fewer than at first');
  expect(reasonFinding([])).toBe('None has ended yet');
  expect(reasonFinding(reasonsOf([figures()]))).toBe('80 % of 10 ended by TIMEOUT');
  expect(delayFinding({ bins: [[50, 4]], overMs: undefined })).toBe(
    '99 of 100 closes since the start were seen within 50 ms',
  );
  expect(delayFinding({ bins: [[50, 4]], overMs: 61_500 })).toBe(
    '99 of 100 closes in the last 2 min were seen within 50 ms',
  );
  expect(delayFinding({ bins: [[null, 1]], overMs: 500 })).toBe(
    'Some closes in the last 1 min took longer than any bound',
  );
  expect(delayFinding({ bins: [], overMs: undefined })).toBe('No close has been timed yet');
  expect(mapFinding([part(), part({ owner: 'b', role: 'standby', state: 'following' })])).toBe('All 2 partitions run');
  expect(mapFinding([part({ state: 'restoring' }), part({ owner: null })])).toBe(
    'Of 2 partitions 1 is restoring, 1 is without an owner',
  );
});

test('figures are in words', () => {
  expect([7, 1_500, 90_000, 7_200_000, 5 * 86_400_000].map(duration)).toEqual([
    '7 ms',
    '1.5 s',
    '1.5 min',
    '2 h',
    '5 d',
  ]);
  expect([rate(undefined), rate(3.14), rate(1_234.5)]).toEqual(['–', '3.1', '1,235']);
  expect([instant(0), instant(NOW), moment(NOW)]).toEqual(['–', '22:13:20.000', '2023-11-14 22:13:20']);
});

test('the script has at most 80 KB, compressed', () => {
  const script = readFileSync(new URL('../../dist/dashboard.js', import.meta.url));
  expect(gzipSync(script).length).toBeLessThanOrEqual(SCRIPT_BYTES_MAX);
});
