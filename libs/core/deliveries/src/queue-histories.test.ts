// Random histories of a queue with kills, against what must hold whatever happens. SEEDS, SEED: how many, and from which on.
import { expect, test } from '@jest/globals';
import { seededRandom } from '@flatline/base';
import { ATTEMPTS_MAX, DELIVERED, failure, QueueWorld } from './queue-world.fixture.ts';

const SEED = Number(process.env['SEED'] ?? 176_000_000);
const SEEDS = Number(process.env['SEEDS'] ?? 100);
const DAY_MS = 86_400_000;

test.each(Array.from({ length: SEEDS }, (_, i) => SEED + i))('[N2] [N3] [N4] history %i', (seed) => {
  const draw = seededRandom(seed);
  const order = draw.chance(0.5) ? ('key' as const) : ('none' as const);
  const supersede = draw.chance(0.3);
  const failing = draw.next() * 0.9;
  const keys = 1 + draw.below(6);
  const rate = draw.chance(0.3) ? { maxPerSecond: 1 + draw.below(50) } : {};
  const kills = draw.chance(0.7) ? 0.05 : 0;
  let isHealed = false;
  const world = new QueueWorld({
    seed,
    order,
    supersede,
    maxInFlight: 1 + draw.below(4),
    ...rate,
    answer: (_, now, random) => ({
      outcome: !isHealed && random.chance(failing) ? failure(now, { retryAfterMs: random.below(20_000) }) : DELIVERED,
      ms: random.below(3_000),
    }),
  });
  const said: { readonly id: string; readonly key: string }[] = [];
  for (let i = 0; i < 60; i += 1) {
    const key = `k${draw.below(keys)}`;
    said.push({ id: world.say(key), key });
    expect(world.queue.inspect()).toEqual([]);
    world.runTo(world.now + draw.below(draw.chance(0.1) ? 600_000 : 500));
    expect(world.queue.inspect()).toEqual([]);
    if (draw.chance(kills)) world.kill();
  }
  isHealed = true;
  world.runTo(world.now + 4 * DAY_MS);
  expect(world.isQuiet).toBe(true);

  const delivered = new Set(world.delivered);
  const givenUp = new Set(world.givenUp.map(({ id }) => id));
  const lost = said.filter(({ id }) => !delivered.has(id) && !givenUp.has(id));
  // The last of a key is never replaced.
  const last = new Set(
    said.filter(({ key, id }) => said.findLast((each) => each.key === key)!.id === id).map(({ id }) => id),
  );
  expect(supersede ? lost.filter(({ id }) => last.has(id)) : lost).toEqual([]);
  for (const { attempt } of world.begun) expect(attempt).toBeLessThanOrEqual(ATTEMPTS_MAX);
  expect(doubled(world)).toEqual([]);
  if (order === 'key' || supersede) expect(outOfOrder(world, said)).toEqual([]);
});

/** Delivered more than once, beyond what was under way when its owner was killed. */
function doubled({ delivered, interrupted }: QueueWorld): readonly string[] {
  const count = (ids: readonly string[], wanted: string): number => ids.filter((id) => id === wanted).length;
  return [...new Set(delivered)].filter((id) => count(delivered, id) > 1 + count(interrupted, id));
}

/** Attempted after a later one of its key was. */
function outOfOrder({ begun }: QueueWorld, said: readonly { readonly id: string }[]): readonly string[] {
  const place = new Map(said.map(({ id }, i) => [id, i]));
  const latest = new Map<string, number>();
  return begun.flatMap(({ id, key }) => {
    const at = place.get(id)!;
    const isLate = at < (latest.get(key) ?? -1);
    latest.set(key, Math.max(at, latest.get(key) ?? -1));
    return isLate ? [id] : [];
  });
}
