import { expect, test } from '@jest/globals';
import { READ_OBSTACLE_MIN_MS } from '../limits.ts';
import type { PipelinePorts } from '../settings.ts';
import { World } from '../world.fixture.ts';

test('[X5][F5] a task and a standby say that no leader answers, and since when; not where it is over at once', async () => {
  const world = new World({ seed: 71, partitions: 2, timeoutMs: 600_000, standbys: 1 });
  const { time, network } = world.simulation;
  const process = world.launch('a');
  world.launch('b');
  await time.runFor(5_000);
  const details = (): (string | undefined)[] =>
    [...process.instance.status(), ...process.instance.standbys()].map(({ detail }) => detail);
  expect(details()).toEqual([undefined, undefined]);
  network.setOutage(true);
  // The first request that is lost is given up after a second.
  await time.runFor(READ_OBSTACLE_MIN_MS);
  expect(details()).toEqual([undefined, undefined]);
  await time.runFor(3_000);
  expect(details()).toEqual([
    expect.stringMatching(/^reading the input, which waits for its leader \(.+\), for \d{4} ms$/),
    expect.stringMatching(/^reading the changelog, which waits for its leader \(.+\), for \d{4} ms$/),
  ]);
  network.setOutage(false);
  await time.runFor(3_000);
  expect(details()).toEqual([undefined, undefined]);
});

test('[X5][F5] so does a task that is being restored', async () => {
  let isDown = false;
  const adapt = (ports: PipelinePorts): PipelinePorts => ({
    ...ports,
    changelog: {
      close: () => ports.changelog.close(),
      subscribe: (...where) => {
        if (!isDown) world.simulation.network.setOutage(true);
        isDown = true;
        return ports.changelog.subscribe(...where);
      },
    },
  });
  const world = new World({ seed: 72, partitions: 1, adapt });
  const { instance } = world.launch('a');
  await world.simulation.time.runUntil(() => isDown, 10_000);
  await world.simulation.time.runFor(4_000);
  const [status] = instance.status();
  expect(status!.state).toBe('restoring');
  expect(status!.detail).toMatch(/^reading the changelog, which waits for its leader/);
  world.simulation.network.setOutage(false);
  await world.simulation.time.runFor(20_000);
  expect(instance.status()).toMatchObject([{ state: 'running', detail: undefined }]);
});
