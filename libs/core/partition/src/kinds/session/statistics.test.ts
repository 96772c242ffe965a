// Statistics of sessions by windows of the clock.
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { decodeBlock, storedHeader } from '../../changelog/block-format.ts';
import { MINUTE, StatisticsLog } from './statistics.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 120_000_100);
const SEEDS = Number(process.env['SEEDS'] ?? 60);
const HOUR = 60 * MINUTE;
/** The beginning of a day. */
const T = 20_000 * 24 * HOUR;
const KEY = (start: number, ms: number, dimensions = {}): string => JSON.stringify([start, start + ms, dimensions]);

const BY_MINUTE = { windows: [MINUTE], dimensions: [] };
const BY_PLAN = { windows: [MINUTE], dimensions: [{ name: 'plan', attribute: 'plan', max: 2 }] };
const plan = (name: string): Readonly<Record<string, unknown>> => ({ attributes: { plan: name } });

describe('[S12] statistics as a stream', () => {
  test('a window is said once the clock has passed its end: what opened and closed in it, and what is open then', () => {
    const log = new StatisticsLog({ stats: BY_MINUTE });
    log.add(T, 'a');
    log.add(T + 5_000, 'a');
    log.add(T + 10_000, 'b');
    log.add(T + 11_000, 'b', null);
    log.add(T + 50_000, 'c');
    log.commit();
    expect(log.windows()).toEqual({});
    expect(log.task.earliestDue()).toBe(T + MINUTE);
    log.add(T + MINUTE, null);
    log.commit();
    expect(log.windows()).toEqual({
      [KEY(T, MINUTE)]: [
        {
          windowStart: T,
          windowEnd: T + MINUTE,
          countedFrom: T,
          dimensions: {},
          opened: 3,
          closed: 2,
          byReason: { TIMEOUT: 1, ENDED: 1, MAX_DURATION: 0, EVICTED: 0 },
          active: 1,
          duration: { count: 2, sum: 6_000, min: 1_000, max: 5_000, sketch: '850000a0604ac0' },
          partition: 3,
        },
      ],
    });
  });

  test('a session that closes at the very end of a window is in the next one', () => {
    const log = new StatisticsLog({ stats: BY_MINUTE });
    log.add(T + 40_000, 'a');
    log.add(T + 3 * MINUTE, 'b');
    log.commit();
    expect(log.windows()).toMatchObject({
      [KEY(T, MINUTE)]: [{ opened: 1, closed: 0, active: 1 }],
      [KEY(T + MINUTE, MINUTE)]: [{ opened: 0, closed: 1, active: 0 }],
    });
  });

  test('[Q4] a window does not wait for the pace of an eviction that began in it', () => {
    const log = new StatisticsLog({ timeoutMs: HOUR, stats: BY_MINUTE });
    for (let i = 0; i < 40; i += 1) log.add(T, `k${i}`, { attributes: { gateway: 'g1' } });
    const headers = [{ name: 'flatline-command', value: Buffer.from('EVICT') }];
    const value = '{"attribute":"gateway","equals":"g1"}';
    log.append({ timestamp: T + 1_000, key: null, value, headers, logAppendTime: true });
    log.task.limitEvictions(0);
    log.add(T + MINUTE, 'b');
    log.commit();
    expect(log.windows()).toMatchObject({ [KEY(T, MINUTE)]: [{ opened: 40, closed: 40, byReason: { EVICTED: 40 } }] });
    expect(log.windows()).toEqual(log.folded().all);
  });

  test('a clock that passes many windows at once fills each with what closed in it', () => {
    const log = new StatisticsLog({ maxTimeoutMs: HOUR, stats: BY_MINUTE });
    for (let i = 0; i < 40; i += 1) log.add(T, `k${i}`, { timeoutMs: (40 - i) * 30_000 });
    log.add(T + HOUR, null);
    log.commit();
    const said = Object.values(log.windows()).map(([one]) => one!);
    expect(said.map(({ closed }) => closed)).toEqual([1, ...new Array<number>(19).fill(2), 1]);
    expect(log.windows()).toEqual(log.folded().all);
  });

  test('windows in which nothing happened are not said, and no clock record is asked for', () => {
    const log = new StatisticsLog({ maxTimeoutMs: HOUR, stats: BY_MINUTE });
    log.add(T, 'a', { timeoutMs: HOUR });
    log.add(T + MINUTE, null);
    log.commit();
    expect(Object.keys(log.windows())).toEqual([KEY(T, MINUTE)]);
    expect(log.task.earliestDue()).toBe(T + HOUR);
  });

  test('values have a place in the order of the log; further ones, and long ones, are "other"; none is empty', () => {
    const log = new StatisticsLog({ stats: BY_PLAN });
    ['pro', 'free', 'gold', 'x'.repeat(65), 'pro'].forEach((name, i) => log.add(T + i, `k${i}`, plan(name)));
    log.add(T + 9, 'bare');
    log.add(T + 5 * MINUTE, null);
    log.commit();
    const opened = Object.entries(log.windows()).map(([key, [one]]) => [key, one!['opened']]);
    expect(new Map(opened as [string, number][])).toEqual(
      new Map([
        [KEY(T, MINUTE, { plan: '' }), 1],
        [KEY(T, MINUTE, { plan: 'free' }), 1],
        [KEY(T, MINUTE, { plan: 'other' }), 2],
        [KEY(T, MINUTE, { plan: 'pro' }), 2],
      ]),
    );
  });

  test('a session that changes an attribute moves from what is active there, and closes as what it was last', () => {
    const log = new StatisticsLog({ stats: BY_PLAN });
    log.add(T, 'a', plan('free'));
    log.add(T + 1_000, 'a', plan('pro'));
    log.add(T + 50_000, 'b', plan('free'));
    log.add(T + 55_000, 'a', { type: 'ENDED', ...plan('free') });
    log.add(T + MINUTE, null);
    log.commit();
    expect(log.windows()).toEqual(log.folded().all);
    expect(log.windows()).toMatchObject({
      [KEY(T, MINUTE, { plan: 'free' })]: [{ opened: 2, active: 1 }],
      [KEY(T, MINUTE, { plan: 'pro' })]: [{ opened: 0, closed: 1, active: 0 }],
    });
  });

  test('[C5] what is due is let take effect window by window, whatever was drained before and however often it was restarted', () => {
    const log = new StatisticsLog({ maxTimeoutMs: HOUR, stats: { ...BY_MINUTE, windows: [MINUTE, HOUR] } });
    for (let i = 0; i < 30; i += 1) log.add(T, `k${i}`, { timeoutMs: 1 + ((i * 37_000) % (20 * MINUTE)) });
    log.commit();
    log.add(T + 2 * HOUR, null);
    log.commit(true);
    log.restart();
    log.add(T + 3 * HOUR, 'later');
    log.commit();
    expect(log.windows()).toEqual(log.folded().all);
  });

  test('what operators are shown is the newest window, from the commit on that says it', () => {
    const log = new StatisticsLog({ stats: BY_MINUTE });
    log.add(T, 'a');
    log.add(T + MINUTE, null);
    expect(log.task.kept).toEqual([]);
    log.commit();
    expect(log.task.kept).toMatchObject([{ windowStart: T, windowEnd: T + MINUTE, opened: 1, closed: 1 }]);
    log.add(T + 2 * MINUTE, 'b');
    log.add(T + 3 * MINUTE, null);
    log.take();
    expect(log.task.kept).toMatchObject([{ windowStart: T }]);
    log.commit();
    expect(log.task.kept).toMatchObject([{ windowStart: T + 2 * MINUTE }]);
  });

  test('other rules begin from nothing, with the sessions that open from then on', () => {
    const log = new StatisticsLog({ maxTimeoutMs: HOUR, stats: BY_MINUTE });
    log.add(T, 'old', { timeoutMs: 90_000 });
    log.add(T + 10_000, 'gone');
    log.commit();
    log.rules = { ...log.rules, stats: BY_PLAN };
    log.restart();
    log.add(T + 15_000, 'old', plan('pro'));
    log.add(T + 20_000, 'new', plan('pro'));
    log.add(T + 5 * MINUTE, null);
    log.commit();
    expect(log.windows()).toMatchObject({
      [KEY(T, MINUTE, { plan: 'pro' })]: [{ countedFrom: T + 10_000, opened: 1, closed: 1, active: 0 }],
    });
    expect(Object.keys(log.windows())).toHaveLength(1);
  });

  test('a shorter maximum duration closes sessions as of windows that are over: they count in the one that is not', () => {
    const log = new StatisticsLog({ timeoutMs: HOUR, stats: BY_MINUTE });
    log.add(T, 'a');
    log.add(T + 10 * MINUTE, null);
    log.commit();
    log.rules = { ...log.rules, maxDurationMs: MINUTE };
    log.restart();
    log.add(T + 10 * MINUTE + 1, null);
    log.add(T + 11 * MINUTE, null);
    log.commit();
    expect(log.windows()[KEY(T + 10 * MINUTE, MINUTE)]).toMatchObject([{ closed: 1, active: 0 }]);
  });

  test('[K9] a pipeline without statistics writes what it wrote; one with them format 5, and once something has closed format 6', () => {
    const versions = [undefined, BY_MINUTE].map((stats) => {
      const log = new StatisticsLog({ ...(stats && { stats }) });
      log.add(T, 'a');
      log.commit();
      return [...log.blocks[0]!.subarray(1, 3)];
    });
    expect(versions).toEqual([
      [2, 1],
      [5, 7],
    ]);
    expect(writtenBy(undefined).versions).toEqual([5, 6, 6, 5]);
  });

  test('[K9] where a former version is pinned, the changelog and what is said are as it wrote them', () => {
    const { log, versions } = writtenBy(5);
    expect(versions).toEqual([5, 5, 5, 5]);
    expect(log.windows()).toMatchObject({ [KEY(T, MINUTE)]: [{ duration: { sketch: '0500bf0201014a0101' } }] });
    expect(log.packedWindows()).toEqual(log.folded().all);
  });

  test('[K9] a local store has a commit with statistics in the version that the commit has', () => {
    for (const format of [5, undefined])
      for (const block of writtenBy(format).log.blocks) {
        const read = decodeBlock(block);
        if (read.kind !== 'state') throw new Error('it is a commit');
        const stored = storedHeader(read.header, []);
        expect(stored[1]).toBe(block[1]);
        expect(decodeBlock(stored)).toMatchObject({ header: { kept: read.header.kept } });
      }
  });

  test('[K9] what a former version left goes on in the newest, and back', () => {
    const log = new StatisticsLog({ stats: BY_MINUTE });
    const versions = [5, undefined, 5].map((format, i) => {
      log.changelogFormat = format;
      log.restart();
      for (const ms of [1_000, 5_000, 9_000]) {
        log.add(T + 10_000 * i, `${ms}`);
        log.add(T + 10_000 * i + ms, `${ms}`, null);
      }
      log.commit();
      return log.blocks.at(-1)![1];
    });
    expect(versions).toEqual([5, 6, 5]);
    log.add(T + MINUTE, null);
    log.commit();
    expect(log.windows()).toMatchObject({ [KEY(T, MINUTE)]: [{ closed: 9 }] });
    expect(log.packedWindows()).toEqual(log.folded().all);
  });

  test('[K9] golden bytes of a commit with statistics in format 6', () => {
    const log = new StatisticsLog({ stats: BY_PLAN });
    log.add(T, 'a', plan('pro'));
    log.add(T + 9, 'a', null);
    log.commit();
    expect(Buffer.from(log.blocks[0]!).toString('hex')).toMatchInlineSnapshot(
      `"460607036c6f67026d650572756e2d3000000001040102e90300000892809ccdca64008980cea6a5320000000000000000000000003d1d5b5b36303030305d2c5b5b22706c616e222c22706c616e222c325d5d5d00008080cea6a532010370726f010370726f0100010000090909048500033e"`,
    );
  });

  test('[K9] golden bytes of a commit with statistics', () => {
    const log = new StatisticsLog({ stats: BY_PLAN });
    log.changelogFormat = 5;
    log.add(T, 'a', plan('pro'));
    log.add(T + 9, 'a', null);
    log.commit();
    expect(Buffer.from(log.blocks[0]!).toString('hex')).toMatchInlineSnapshot(
      `"460507036c6f67026d650572756e2d3000000001040102e90300000892809ccdca64008980cea6a5320000000000000000000000003e1d5b5b36303030305d2c5b5b22706c616e222c22706c616e222c325d5d5d00008080cea6a532010370726f010370726f0100010000090909050500660101"`,
    );
  });

  test.each([0, 1, 30_000, 5 * MINUTE])(
    '[S12] [C5] [C7] [S9] where producers stamp, with a grace of %i ms, any history says what the oracle says',
    (graceMs) => {
      for (let seed = SEED; seed < SEED + SEEDS / 15; seed += 1) {
        const random = seededRandom(seed);
        const log = new StatisticsLog({ ...drawnRules(random), ...drawnGrace(random, graceMs) }, 3, 'CreateTime');
        expect([seed, run(log, random, MINUTE)]).toEqual([seed, log.folded().all]);
      }
    },
  );

  test('[C7] a session that another absorbs is open no more, and closes with that one', () => {
    const log = new StatisticsLog({ timeoutMs: 10_000, graceMs: 20_000, stats: BY_PLAN }, 3, 'CreateTime');
    log.add(T + 9_000, 'a', plan('free'));
    log.add(T + 25_000, 'a', plan('pro'));
    log.add(T + 17_000, 'a');
    log.add(T + MINUTE, null);
    log.add(T + 2 * MINUTE, null);
    log.commit();
    expect(log.windows()).toEqual(log.folded().all);
    expect(log.windows()).toMatchObject({
      [KEY(T, MINUTE, { plan: 'free' })]: [{ opened: 1, closed: 0, active: 0 }],
      [KEY(T, MINUTE, { plan: 'pro' })]: [{ opened: 1, closed: 1, active: 0 }],
    });
  });

  test('[S9] a revision counts no session a second time', () => {
    const log = new StatisticsLog(
      { timeoutMs: 10_000, graceMs: 1, late: 'revise', revisionWindowMs: HOUR, stats: BY_PLAN },
      3,
      'CreateTime',
    );
    log.add(T, 'a', plan('free'));
    log.add(T + 50_000, null);
    log.add(T + 5_000, 'a', plan('pro'));
    log.commit();
    log.restart();
    log.add(T + 3 * MINUTE, null);
    log.commit();
    expect(log.windows()).toMatchObject({
      [KEY(T, MINUTE, { plan: 'free' })]: [{ opened: 1, closed: 1, active: 0, duration: { sum: 0 } }],
    });
    expect(Object.keys(log.windows())).toHaveLength(1);
  });

  test.each(Array.from({ length: Math.ceil(SEEDS / 6) }, (_, i) => SEED + i))(
    '[S12] [C5] [K9] any history of instances that pin a former format in turns says what the oracle says (rerun: SEED=%i SEEDS=1)',
    (seed) => {
      const random = seededRandom(seed);
      const log = new StatisticsLog(drawnRules(random), 1 + random.below(5));
      log.pinsInTurns = true;
      run(log, random, 0);
      expect(log.packedWindows()).toEqual(log.folded().all);
    },
  );

  test.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))(
    '[S12] [C5] [R1] any history, cut, drained and restarted anywhere, says what the oracle says (rerun: SEED=%i SEEDS=1)',
    (seed) => {
      const random = seededRandom(seed);
      const log = new StatisticsLog(drawnRules(random), 1 + random.below(5));
      const windows = run(log, random, 0);
      expect(windows).toEqual(log.folded().all);
      expect(Object.keys(windows).length).toBeGreaterThan(5);
    },
  );
});

/** A commit before something closes, one after, one more, and one once that window is over. */
function writtenBy(format: number | undefined): { log: StatisticsLog; versions: readonly number[] } {
  const log = new StatisticsLog({ stats: BY_MINUTE });
  log.changelogFormat = format;
  const versions = [0, 1, 2, 3].map((i) => {
    if (i === 0) for (const key of ['1000', '5000']) log.add(T, key);
    if (i === 1) for (const ms of [1_000, 5_000]) log.add(T + ms, `${ms}`, null);
    log.add(T + i * 20_000, null);
    log.commit();
    return log.blocks.at(-1)![1]!;
  });
  return { log, versions };
}

type Rules = StatisticsLog['rules'];

function drawnRules(random: Random): Partial<Rules> {
  const windows = [[MINUTE], [MINUTE, HOUR], [5 * MINUTE, HOUR, 24 * HOUR]][random.below(3)]!;
  const dimensions = [
    { name: 'plan', attribute: 'plan', max: 1 + random.below(3) },
    { name: 'place', attribute: 'country', max: 2 },
  ].slice(0, random.below(3));
  return {
    timeoutMs: 1 + random.below(90_000),
    maxDurationMs: random.chance(0.3) ? 1 + random.below(3 * MINUTE) : undefined,
    maxEvents: random.chance(0.2) ? 3 : undefined,
    stats: { windows, dimensions },
  };
}

function drawnGrace(random: Random, graceMs: number): Partial<Rules> {
  if (graceMs === 0) return {};
  const revisionWindowMs = random.chance(0.5) ? 1 + random.below(10 * MINUTE) : 0;
  const late = revisionWindowMs > 0 ? 'revise' : random.chance(0.5) ? 'drop' : 'deadLetter';
  return { graceMs, late, revisionWindowMs, maxDurationMs: undefined };
}

/** Events of a few keys, each up to `behindMs` behind the present, and what is said of their windows. */
function run(log: StatisticsLog, random: Random, behindMs: number): ReturnType<StatisticsLog['windows']> {
  let now = T + random.below(HOUR);
  for (let i = 0; i < 300; i += 1) {
    now += random.chance(0.03) ? random.below(3 * HOUR) : random.below(random.chance(0.5) ? 2_000 : 20_000);
    const attributes: Record<string, string> = {};
    if (random.chance(0.5)) attributes['plan'] = `p${random.below(6)}`;
    if (random.chance(0.3)) attributes['country'] = `c${random.below(4)}`;
    const at = behindMs > 0 && random.chance(0.5) ? now - random.below(behindMs) : now;
    const event = {
      type: random.chance(0.15) ? 'ENDED' : 'VIEW',
      attributes,
      occurredAt: at - random.below(5_000),
      // A shorter one is due before what it was told last.
      ...(behindMs > 0 && random.chance(0.1) && { timeoutMs: 1 + random.below(90_000) }),
    };
    const key = random.chance(0.1) ? null : `k${random.below(12)}`;
    log.add(at, key, key === null || random.chance(0.3) ? '' : random.chance(0.05) ? null : event);
    if (random.chance(0.2)) log.take(true);
    if (random.chance(0.1)) log.commit(random.chance(0.5));
    if (random.chance(0.03)) {
      log.commit(random.chance(0.7));
      log.restart();
    }
  }
  log.add(now + 25 * HOUR, null);
  log.commit();
  return log.windows();
}
