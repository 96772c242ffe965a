// Tokens grow from grant to grant of a key, whoever grants (L3): also where a partition moves to a process that was started before
// the epoch was raised, and has been told nothing of it.
import { Misconfigured } from '@flatline/base';
import { expect, test } from '@jest/globals';
import { CHANGELOG, World } from '../world.fixture.ts';

test('[L3] a process of a lower epoch than the group has committed with takes no partition over', async () => {
  const world = new World({ seed: 92, partitions: 1, timeoutMs: 600_000 });
  const { time, log } = world.simulation;
  world.tokenEpoch = 1;
  const raised = world.launch('a');
  await time.runFor(3_000);
  world.beat('k');
  await time.runFor(1_000);
  // It joins, and has nothing to do.
  world.tokenEpoch = 0;
  const former = world.launch('b');
  await time.runFor(5_000);
  expect(former.failures).toEqual([]);
  await time.complete(raised.instance.stop());
  const before = log.committed(CHANGELOG, 0).length;
  expect(await time.runUntil(() => former.failures.length > 0, 30_000)).toBe(true);
  expect(former.failures[0]).toBeInstanceOf(Misconfigured);
  expect(former.failures[0]!.message).toMatch(/visits: tokenEpoch is 0, .* with 1: .*Set tokenEpoch to 1 or more/);
  await time.complete(former.instance.abort());
  // But for its claim, which says nothing of leases.
  expect(log.committed(CHANGELOG, 0).length - before).toBeLessThanOrEqual(1);
  world.tokenEpoch = 1;
  const again = world.launch('c');
  expect(await time.runUntil(() => again.instance.status()[0]?.state === 'running', 30_000)).toBe(true);
  expect(again.instance.status()).toMatchObject([{ liveEntries: 1 }]);
});
