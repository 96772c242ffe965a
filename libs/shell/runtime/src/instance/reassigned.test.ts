// An assignment said some time ago is no right to fence the owner that the group has named since.
import { expect, test } from '@jest/globals';
import type { PipelinePorts } from '../index.ts';
import { CHANGELOG, INPUT, World } from '../world.fixture.ts';

const LATER = 60_000;

/** Stores end only once `until` has, as on an overloaded disk. */
function slowToClose(ports: PipelinePorts, until: Promise<void>): PipelinePorts {
  const { stores } = ports;
  const open: typeof stores.open = async (...where) => {
    const opened = await stores.open(...where);
    const close = opened.store.close.bind(opened.store);
    opened.store.close = () => until.then(close);
    return opened;
  };
  return {
    ...ports,
    stores: {
      isShared: stores.isShared,
      open,
      localCheckpoints: () => stores.localCheckpoints(),
      noteDrop: (drop) => {
        stores.noteDrop(drop);
      },
      drops: () => stores.drops(),
    },
  };
}

test('[X4] a task that is started again after it has closed asks the group first, if what that said is older than a second', async () => {
  const closing = Promise.withResolvers<undefined>();
  const world = new World({
    seed: 85,
    adapt: (ports, name) => (name === 'a' ? slowToClose(ports, closing.promise) : ports),
  });
  const { time, faults, log } = world.simulation;
  const beat = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      for (let i = 0; i < 8; i += 1) world.beat(`k${i}`);
      await time.runFor(1_000);
    }
  };
  const first = world.launch('a');
  await time.runUntil(() => first.instance.isReady, LATER);
  const second = world.launch('b');
  await time.runUntil(() => second.instance.isReady && second.instance.status().length > 0, LATER);
  const { partition } = second.instance.status()[0]!;
  await beat(5);
  // It has lost the partition, is given it back, and cannot begin before it has closed.
  second.host.kill();
  await beat(20);
  expect(first.instance.status()).toContainEqual(expect.objectContaining({ partition, state: 'draining' }));
  first.host.pause();
  const third = world.launch('c');
  await time.runUntil(() => third.instance.isReady, LATER);
  await beat(5);
  for (let i = 0; i < 3; i += 1) faults.inject({ at: 'Heartbeat', fault: 'dropped', host: 'a' });
  closing.resolve(undefined);
  first.host.resume();
  await beat(30);
  const lineOf = (what: string): number => third.lines.findIndex((line) => line.includes(what));
  // The one it had lost a partition to is a member again: what the group gives it then may fence the third.
  expect(lineOf('"generation":5')).toBeGreaterThan(lineOf('task runs'));
  expect(third.lines.slice(0, lineOf('"generation":5')).filter((line) => line.includes('fenced'))).toEqual([]);
  expect(log.committed(CHANGELOG, partition).length).toBeGreaterThan(0);
});

test('[R3][X4] a stopped task whose partition others have owned since begins again from their last commit', async () => {
  const world = new World({ seed: 86, commitIntervalMs: 60_000 });
  const { time, log } = world.simulation;
  const beat = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      for (let i = 0; i < 8; i += 1) world.beat(`k${i}`);
      await time.runFor(1_000);
    }
  };
  const first = world.launch('a');
  const second = world.launch('b');
  await time.runUntil(
    () => [first, second].every(({ instance }) => instance.isReady && instance.status().length > 0),
    LATER,
  );
  const { partition } = second.instance.status()[0]!;
  await beat(3);
  const { committedPosition = 0 } = second.instance.status()[0]!;
  // What it has read and not committed is lost.
  log.partition(INPUT, partition).changeLeader({ losesFrom: committedPosition });
  await time.runFor(2_000);
  expect(second.instance.status()).toMatchObject([{ partition, state: 'stopped' }]);
  second.host.pause();
  await beat(40);
  expect(first.instance.status()).toContainEqual(expect.objectContaining({ partition, state: 'running' }));
  second.host.resume();
  await beat(60);
  const owners = [first, second].flatMap(({ instance }) =>
    instance.status().filter((task) => task.partition === partition),
  );
  expect(owners.map(({ state }) => state)).toEqual(['running']);
});
