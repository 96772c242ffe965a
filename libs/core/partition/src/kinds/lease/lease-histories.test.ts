// Leases on the engine, at random, against the second reading of the rules.
import { describe, expect, test } from '@jest/globals';
import { type Random, seededRandom } from '@flatline/base';
import { bears, EPOCH, LeaseLog, type LeaseSettings, type LeaseValue } from './leases.fixture.ts';

const T = 1_000_000;
const SEEDS = Number(process.env['SEEDS'] ?? 20);
const FIRST_SEED = Number(process.env['SEED'] ?? 1);
/** UTF-8 of one to four bytes, what JSON escapes, and what objects are made of. */
const NAMES = ['a', 'é', '\u0001"', '\ufeffx', '😀', '__proto__', ''] as const;

function pick<T>(random: Random, items: readonly T[]): T {
  return items[random.below(items.length)]!;
}

function randomSettings(random: Random): LeaseSettings {
  const rules = {
    bucketMs: pick(random, [0, 0, 700]),
    onConflict: pick(random, ['reject', 'replace', 'queue', 'queue'] as const),
    maxWaiters: 1 + random.below(4),
    lockDelayMs: pick(random, [0, 0, 1, 2_500]),
    maxDurationMs: pick(random, [undefined, undefined, 9_000]),
    tokenEpoch: pick(random, [0, 1, 8_191]),
    timeoutMs: 3_000,
  };
  const groupMax = 1 + random.below(6);
  // Where producers stamp, nothing is held, and records come out of order.
  if (random.chance(0.2)) return { rules, groupMax, timestampType: 'CreateTime' };
  const heldTime = pick(random, [undefined, { unheardMs: 1_500, maxHoldMs: 4_000 }]);
  // Room for few of them, and for few that say anything.
  const maxStateBytes = pick(random, [Infinity, Infinity, 300, 430]);
  return { rules, ...(heldTime && { heldTime }), groupMax, maxStateBytes };
}

/** Holders that know their token, zombies with an old one, impatient and patient ones, retries, and restarts in between. */
function storm(log: LeaseLog, random: Random): void {
  let at = T;
  const starts = new Map<string, number[]>();
  for (let i = 0; i < 120; i += 1) {
    at += random.chance(0.1) ? random.below(9_000) : random.below(600);
    if (log.stampsAreTheProducers && random.chance(0.2)) at -= random.below(3_000);
    const key = `k${random.below(3)}`;
    const known = starts.get(key) ?? [0];
    const token = 1 + log.rules.tokenEpoch * EPOCH + (random.chance(0.8) ? known.at(-1)! : pick(random, known));
    const requestId = random.chance(0.4) ? pick(random, NAMES.slice(0, 6)) : undefined;
    const said = { ...(requestId !== undefined && { requestId }), ...(random.chance(0.5) && { token }) };
    if (random.chance(0.45)) {
      const attributes = Object.fromEntries(random.chance(0.5) ? [[pick(random, NAMES), pick(random, NAMES)]] : []);
      const times = { timeoutMs: 1 + random.below(9_000), ...(random.chance(0.6) && { waitMs: random.below(5_000) }) };
      starts.set(key, [
        ...known,
        log.add(at, key, { type: 'STARTED', ...times, attributes, ...(requestId !== undefined && { requestId }) }),
      ]);
    } else if (random.chance(0.6))
      log.add(at, key, random.chance(0.5) ? '' : { type: 'B', ...said }, random.chance(0.8) ? bears(token) : {});
    else if (random.chance(0.3)) log.add(at, key, ...withdrawal(random));
    else if (random.chance(0.2)) act(log, at, key, random);
    else if (random.chance(0.7)) log.add(at, key, random.chance(0.5) ? null : { type: 'ENDED' }, bears(token));
    else log.add(at, random.chance(0.5) ? null : key, random.chance(0.9) ? '' : 'garbage');
    if (random.chance(0.2)) log.commit(random.chance(0.5));
    expect(log.timerFaults()).toEqual([]);
    if (random.chance(0.1)) {
      log.commit(random.chance(0.5));
      log.restart();
    }
  }
  log.add(at + 100_000, null);
  log.commit();
}

/** An operator's (Q4). */
function act(log: LeaseLog, at: number, key: string, random: Random): void {
  const evicted = { attribute: pick(random, NAMES), equals: pick(random, NAMES) };
  if (random.chance(0.4)) log.add(at, key, null, { 'flatline-command': 'RELEASE' });
  else log.add(at, null, evicted, { 'flatline-command': 'EVICT' });
}

/** Whoever waits by this id leaves, unless the token says otherwise. */
function withdrawal(random: Random): [LeaseValue, Readonly<Record<string, string>>] {
  const requestId = pick(random, NAMES.slice(0, 6));
  const token = pick(random, [undefined, 0, 0, 1]);
  if (random.chance(0.5)) return [{ type: 'ENDED', requestId, ...(token !== undefined && { token }) }, {}];
  return [null, { 'flatline-request-id': requestId, ...(token !== undefined && bears(token)) }];
}

describe('leases against the naive fold', () => {
  test.each(Array.from({ length: SEEDS }, (_, i) => FIRST_SEED + i))(
    '[L1][L2][L3][L4][L5][L6][L7][Q4][C5][I7][R1] seed %i: each word once, as the rules say, through restarts (rerun: SEED)',
    (seed) => {
      const random = seededRandom(seed);
      const log = new LeaseLog(randomSettings(random));
      storm(log, random);
      const { all, refused } = log.folded();
      expect(log.all()).toEqual(all);
      expect(log.refused.map(({ offset }) => offset)).toEqual(refused);
    },
  );
});
