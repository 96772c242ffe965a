// The input's leader is another one: its log is compared with what was read before anything more is (R3, X3).
import { describe, expect, test } from '@jest/globals';
import { CHANGELOG, INPUT, type Process, World } from './world.fixture.ts';

/** Longer than a dead member stays in the group. */
const LATER = 25_000;
const REPLACED = /in-0: read up to offset 11 .*acknowledged records were lost or replaced/;

/** One process that has read ten records and its first clock record, and committed, and whose sessions live. */
async function running(seed: number): Promise<{ readonly world: World; readonly process: Process }> {
  const world = new World({ seed, partitions: 1, timeoutMs: 60_000 });
  const process = world.launch('a');
  for (let i = 0; i < 10; i += 1) {
    world.beat(`k${i}`);
    await world.simulation.time.runFor(500);
  }
  await world.simulation.time.runFor(2_000);
  expect(process.instance.status()).toMatchObject([{ state: 'running', position: 11, committedPosition: 11 }]);
  return { world, process };
}

describe('an unclean election of the input', () => {
  test('[R3][X3][F8] that lost records already read stops the partition at once, and whoever takes it over', async () => {
    const { world, process } = await running(31);
    const { time, log } = world.simulation;
    log.partition(INPUT, 0).changeLeader({ losesFrom: 7 });
    for (let i = 0; i < 20; i += 1) world.beat(`new${i}`);
    await time.runFor(2_000);
    expect(process.instance.status()).toMatchObject([{ state: 'stopped', detail: expect.stringMatching(REPLACED) }]);
    expect(process.lines).toContainEqual(expect.stringContaining('partition stopped'));
    process.host.kill();
    const successor = world.launch('b');
    await time.runFor(LATER);
    expect(successor.instance.status()).toMatchObject([
      { state: 'stopped', detail: expect.stringMatching(/is not the log that was read/) },
    ]);
    await time.runFor(200_000);
    expect(world.closed()).toEqual([]);
  });

  test('[R3][F8] that lost nothing that was read goes on', async () => {
    const { world, process } = await running(32);
    const { time, log } = world.simulation;
    log.partition(INPUT, 0).stallReplication(5_000);
    for (let i = 0; i < 5; i += 1) world.beat(`unread${i}`);
    log.partition(INPUT, 0).changeLeader({ losesFrom: 11 });
    world.beat('after');
    await time.runFor(2_000);
    expect(process.instance.status()).toMatchObject([{ state: 'running', position: 12 }]);
    await time.runFor(200_000);
    expect(world.closed()).toEqual(world.expected());
  });

  test('[R3][F8] noticed while reading was interrupted stops the partition, too', async () => {
    const { world, process } = await running(33);
    const { time, log, faults } = world.simulation;
    faults.inject({ at: 'Subscription', fault: 'fails' });
    log.partition(INPUT, 0).changeLeader({ losesFrom: 7 });
    for (let i = 0; i < 20; i += 1) world.beat(`new${i}`);
    await time.runFor(5_000);
    expect(faults.fired().get('Subscription/fails')).toBe(1);
    expect(process.instance.status()).toMatchObject([{ state: 'stopped', detail: expect.stringMatching(REPLACED) }]);
  });
});

describe('an unclean election of the changelog', () => {
  test('[R3][F8] that lost commits already read stops the standby', async () => {
    const world = new World({ seed: 34, partitions: 1, timeoutMs: 60_000, standbys: 1 });
    const { time, log } = world.simulation;
    const processes = [world.launch('a'), world.launch('b')];
    for (let i = 0; i < 10; i += 1) {
      world.beat(`k${i}`);
      await time.runFor(2_000);
    }
    const standby = processes.find(({ instance }) => instance.standbys().length > 0)!;
    expect(standby.instance.standbys()).toMatchObject([{ state: 'following', lag: 0 }]);
    const changelog = log.partition(CHANGELOG, 0);
    changelog.changeLeader({ losesFrom: log.committed(CHANGELOG, 0).at(-2)!.offset });
    await time.runFor(2_000);
    expect(standby.instance.standbys()).toMatchObject([
      { state: 'stopped', detail: expect.stringMatching(/acknowledged records were lost or replaced/) },
    ]);
  });
});
