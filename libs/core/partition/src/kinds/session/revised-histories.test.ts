// Events in no order, of which many come after the close, against the second reading of the rules (S9).
import { expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { DisorderLog, type Summary } from './disorder.fixture.ts';

const T = 1_000_000;
const TIMEOUT = 100;
const SEED_COUNT = Number(process.env['SEEDS'] ?? 16);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
/** Red once: a record had room that came before what was due, and longer by its close, had taken effect. */
const FOUND = [20];

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)]!;
}

function drawnRules(random: Random, seed: number): DisorderLog['rules'] {
  return {
    // Drawn from a source of its own: the other seeds are what they were.
    maxEvents: pick(seededRandom(13_000_000 + seed), [undefined, undefined, 1, 3, 8]),
    ...new DisorderLog().rules,
    timeoutMs: TIMEOUT,
    graceMs: pick(random, [1, 50, 200]),
    late: 'revise',
    revisionWindowMs: pick(random, [1, 150, 600, 3_000]),
    maxSources: pick(random, [0, 2]),
    dedupeEventIds: pick(random, [0, 4]),
    maxAttributes: 4,
    maxAttributeBytes: 30,
  };
}

function eventOf(random: Random, at: number): Readonly<Record<string, unknown>> | string | null {
  if (random.chance(0.3)) return '';
  if (random.chance(0.12)) return pick(random, [null, { type: 'ENDED' }, { type: 'ENDED', occurredAt: at - 7 }]);
  return {
    type: pick(random, ['HEARTBEAT', 'VIEW', 'STARTED']),
    ...(random.chance(0.15) && { timeoutMs: 1 + random.below(400) }),
    ...(random.chance(0.3) && { occurredAt: at + random.below(200) - 100 }),
    ...(random.chance(0.3) && { eventId: `e${random.below(6)}` }),
    ...(random.chance(0.4) && { sequence: random.below(90) }),
    ...(random.chance(0.5) && { source: `s${random.below(3)}` }),
    ...(random.chance(0.5) && { attributes: { [`n${random.below(5)}`]: 'x'.repeat(random.below(12)) } }),
  };
}

function storm(log: DisorderLog, random: Random): void {
  let now = T;
  for (let i = 0; i < 160; i += 1) {
    now += random.chance(0.25) ? random.below(500) : random.below(40);
    const at = now - (random.chance(0.5) ? random.below(pick(random, [100, 400, 900])) : 0);
    if (random.chance(0.1)) log.add(now, null);
    log.add(at, `k${random.below(3)}`, eventOf(random, at));
    if (random.chance(0.3)) log.commit();
    if (random.chance(0.08)) {
      log.commit();
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

const seen = { revisions: 0, ends: 0, finals: 0, late: 0 };

test.each([...FOUND, ...Array.from({ length: SEED_COUNT }, (_, i) => FIRST_SEED + i)])(
  '[S9][S13][C7][C5][R1][I7] seed %i: each summary, revision, tombstone and dead letter, in their order (rerun: SEED)',
  (seed) => {
    const random = seededRandom(9_000_000 + seed);
    const rules = drawnRules(random, seed);
    const log = new DisorderLog({ rules, tombstones: true, maxStateBytes: pick(random, [Infinity, Infinity, 700]) });
    storm(log, random);
    const { all, refused } = log.folded();
    expect(plain(log.all())).toEqual(plain(all));
    expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
    const words = Object.values(all).flat();
    seen.revisions += words.filter(({ revision }) => Number(revision) > 0).length;
    seen.ends += words.filter(({ revision, reason }) => Number(revision) > 0 && reason === 'ENDED').length;
    seen.finals += words.filter(({ tombstone }) => tombstone !== undefined).length;
    seen.late += log.refused.filter(({ reason }) => reason === 'late').length;
    // Each incarnation is final once, and behind all that is said of it.
    for (const each of Object.values(all)) {
      const last = each.at(-1);
      if (last !== undefined) expect(last['tombstone']).toBeDefined();
    }
  },
);

test('[S9] among these are revisions, late ends, and what revises nothing', () => {
  // A seed that is run again shows itself.
  const least = SEED_COUNT < 10 ? 0 : 1;
  expect(seen.revisions).toBeGreaterThanOrEqual(least * SEED_COUNT);
  expect(seen.ends).toBeGreaterThanOrEqual(least);
  expect(seen.finals).toBeGreaterThanOrEqual(least * SEED_COUNT);
  expect(seen.late).toBeGreaterThanOrEqual(least);
});
