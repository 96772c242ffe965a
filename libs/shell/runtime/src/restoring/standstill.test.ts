// A process that stands still while it restores must not fence the owner of meanwhile.
import { expect, test } from '@jest/globals';
import { decodeBlock } from '@flatline/partition';
import { CHANGELOG, type Process, World } from '../world.fixture.ts';

const STEP_MS = 4;

function statesOf({ instance }: Process): string[] {
  return instance.status().map(({ state }) => state);
}

/** Owners whose claims are in the changelog, in order. */
function claimsIn(world: World): string[] {
  const blocks = world.simulation.log.committed(CHANGELOG, 0).map(({ value }) => decodeBlock(value!));
  return blocks.flatMap((block) => (block.kind === 'claim' ? [block.claim.owner] : []));
}

/** Stops a process this long after it began to restore, until another one runs its partition. Undefined: it ran before. */
async function standStill(afterMs: number): Promise<World | undefined> {
  const world = new World({ seed: 58, partitions: 1 });
  const { time } = world.simulation;
  const zombie = world.launch('a');
  while (!statesOf(zombie).includes('restoring')) await time.runFor(1);
  await time.runFor(afterMs);
  if (!statesOf(zombie).includes('restoring')) return undefined;
  zombie.host.pause();
  const owner = world.launch('b');
  await time.runFor(20_000);
  expect([statesOf(owner), claimsIn(world).at(-1)]).toEqual([['running'], 'b']);
  zombie.host.resume();
  await time.runFor(1_000);
  world.beat('visit');
  await time.runFor(5_000);
  expect([...zombie.failures, ...owner.failures]).toEqual([]);
  expect([statesOf(zombie), statesOf(owner)]).toEqual([[], ['running']]);
  expect(owner.lines.filter((line) => line.includes('commit failed'))).toEqual([]);
  return world;
}

test('[F3] a zombie stopped at any moment of its restoring asks who owns the partition before it claims', async () => {
  let moments = 0;
  for (let world = await standStill(0); world !== undefined; world = await standStill(STEP_MS * moments)) {
    expect(claimsIn(world).at(-1)).toBe('b');
    moments += 1;
  }
  expect(moments).toBeGreaterThan(3);
});
