// Acts of an operator among all else that sessions meet, drained slowly, against the second reading of the rules (Q4).
import { expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { ActsLog } from './acts.fixture.ts';
import type { DisorderLog, Summary } from './disorder.fixture.ts';

const T = 1_000_000;
const SEED_COUNT = Number(process.env['SEEDS'] ?? 10);
/** Among the first ten from here is one that revises what was evicted. */
const FIRST_SEED = Number(process.env['SEED'] ?? 11);
/** UTF-8 of one to four bytes, and what objects are made of. */
const VALUES = ['g1', 'é', '__proto__', '', 'x'.repeat(130)] as const;
const NAMES = ['gateway', '😀', ''] as const;

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

function drawnRules(random: Random): DisorderLog['rules'] {
  const graceMs = pick(random, [0, 0, 50, 300]);
  const revises = graceMs > 0 && random.chance(0.5);
  return {
    ...new ActsLog().rules,
    timeoutMs: 100,
    graceMs,
    late: revises ? 'revise' : 'drop',
    ...(revises && { revisionWindowMs: pick(random, [1, 150, 2_000]) }),
    maxDurationMs: graceMs === 0 ? pick(random, [undefined, 300]) : undefined,
    maxAttributes: 4,
    maxAttributeBytes: 400,
  };
}

function eventOf(random: Random, at: number): Readonly<Record<string, unknown>> | string | null {
  if (random.chance(0.3)) return '';
  if (random.chance(0.08)) return pick(random, [null, { type: 'ENDED' }, { type: 'ENDED', occurredAt: at - 7 }]);
  return {
    type: pick(random, ['HEARTBEAT', 'VIEW']),
    ...(random.chance(0.15) && { timeoutMs: 1 + random.below(400) }),
    ...(random.chance(0.6) && { attributes: { [pick(random, NAMES)]: pick(random, VALUES) } }),
  };
}

/** Adds records that may revise a session that has just been evicted: without these, few histories do. */
function addLate(log: ActsLog, random: Random, now: number): void {
  for (let i = 0; i < 12; i += 1) {
    const before = now - (log.rules.graceMs + log.rules.timeoutMs) - random.below(60);
    if (random.chance(0.7)) log.add(before, `k${i}`, eventOf(random, before));
  }
}

function storm(log: ActsLog, random: Random): void {
  let now = T;
  const isLate = log.rules.late === 'revise';
  for (let i = 0; i < 180; i += 1) {
    now += random.chance(0.05) ? random.below(500) : random.below(8);
    const at = now - (random.chance(isLate ? 0.6 : 0.25) ? random.below(isLate ? 900 : 150) : 0);
    const key = `k${random.below(12)}`;
    if (random.chance(isLate ? 0.15 : 0.06)) {
      log.evict(now, pick(random, NAMES), pick(random, VALUES));
      if (isLate) addLate(log, random, now);
    }
    if (random.chance(0.03)) log.act(now, key, 'END');
    if (random.chance(0.05)) log.add(now, null);
    log.add(at, key, eventOf(random, at));
    if (random.chance(0.3)) log.commitWith(pick(random, [0, 0, 1, 2, 1_000]));
    if (random.chance(0.1)) {
      log.commitWith(random.below(2));
      log.restart();
    }
  }
  log.add(now + 1_000_000, null);
  log.commit();
}

const plain = (words: Readonly<Record<string, readonly Summary[]>>): unknown =>
  Object.fromEntries(
    Object.entries(words).map(([key, each]) => [
      key,
      each.map((word) => ({ ...word, emittedAt: undefined, key: undefined })),
    ]),
  );

const seen = { evicted: 0, byOperator: 0, revised: 0 };

test.each(Array.from({ length: SEED_COUNT }, (_, i) => FIRST_SEED + i))(
  '[Q4][S3][S9][C5][C7][R1] seed %i: each session ends as the log says, through restarts (rerun: SEED)',
  (seed) => {
    const random = seededRandom(43_000_000 + seed);
    const log = new ActsLog({ rules: drawnRules(random), tombstones: random.chance(0.5) });
    storm(log, random);
    const { all, refused } = log.folded();
    expect(plain(log.all())).toEqual(plain(all));
    expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
    const words = Object.values(all).flat();
    seen.evicted += words.filter(({ reason }) => reason === 'EVICTED').length;
    seen.byOperator += words.filter(({ byOperator }) => byOperator === true).length;
    seen.revised += words.filter(({ reason, revision }) => reason === 'EVICTED' && Number(revision) > 0).length;
  },
);

test('[Q4] among these are evictions, also of what is revised later, and ends by an operator', () => {
  // A seed that is run again shows itself.
  const least = SEED_COUNT < 10 ? 0 : 1;
  expect(seen.evicted).toBeGreaterThanOrEqual(least * SEED_COUNT);
  expect(seen.byOperator).toBeGreaterThanOrEqual(least * SEED_COUNT);
  expect(seen.revised).toBeGreaterThanOrEqual(least);
});
