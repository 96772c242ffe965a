// Schedules on the engine at random, against the second reading of the rules.
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { type Headers, ScheduleLog, type ScheduleSettings, T } from './schedules.fixture.ts';

const SEEDS = Number(process.env['SEEDS'] ?? 20);
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
  const to = random.chance(0.3) ? { target: pick(random, ['mail', 'push', 'other', 'runs-out']) } : {};
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
