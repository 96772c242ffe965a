import { expect, test } from '@jest/globals';
import { World } from '../world.fixture.ts';

test('[X5][F2] a task is shown as recovering while the outcome of its commit is being found out', async () => {
  const world = new World({ seed: 73, partitions: 1 });
  const { time, faults } = world.simulation;
  const { instance } = world.launch('a');
  await time.runFor(3_000);
  world.beat('k');
  faults.inject({ at: 'EndTxn', fault: 'answerDropped' });
  await time.runUntil(() => instance.status()[0]?.state === 'recovering', 60_000);
  expect(instance.status()).toMatchObject([{ state: 'recovering', detail: 'the outcome of a commit' }]);
  await time.runFor(20_000);
  expect(instance.status()).toMatchObject([{ state: 'running', detail: undefined }]);
  expect(world.closed()).toEqual(world.expected());
});
