// The changelog itself says what its entries are: what the group has committed is forgotten once it has been empty for a week.
import { Misconfigured } from '@flatline/base';
import { expect, test } from '@jest/globals';
import { CHANGELOG, World } from '../world.fixture.ts';

test.each([
  ['the changelog', 'b'],
  ['a local store', 'a'],
])('[I4] a pipeline of another kind is refused by %s, and goes on where it was as what it was', async (_by, name) => {
  const world = new World({ seed: 91, partitions: 1, timeoutMs: 600_000 });
  const { time, log } = world.simulation;
  const first = world.launch('a');
  await time.runFor(3_000);
  for (let i = 0; i < 20; i += 1) world.beat(`k${i}`);
  await time.runFor(1_000);
  await time.complete(first.instance.stop());
  first.host.kill();
  const before = log.committed(CHANGELOG, 0).length;
  world.kind = 'lease';
  const other = world.launch(name);
  expect(await time.runUntil(() => other.failures.length > 0, 30_000)).toBe(true);
  expect(other.failures[0]).toBeInstanceOf(Misconfigured);
  expect(other.failures[0]!.message).toMatch(/visits: kind is "lease".*changelog.*"session".*Nothing was reset/);
  await time.complete(other.instance.abort());
  other.host.kill();
  expect(log.committed(CHANGELOG, 0)).toHaveLength(before);
  world.kind = 'session';
  const again = world.launch(name);
  expect(await time.runUntil(() => again.instance.status()[0]?.state === 'running', 30_000)).toBe(true);
  expect(again.instance.status()).toMatchObject([{ liveEntries: 20 }]);
});
