// An assignment said some time ago is no right to fence the owner that the group has named since.
import { PartitionStopped } from '@flatline/base';
import type { Assignment, MembershipListener } from '@flatline/ports';
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

const BLOCK_MS = 1_500;

/** Subscriptions to the input that show nothing while `isDeaf`, as if its leader were out of reach. */
function hardOfHearing(ports: PipelinePorts, ear: Ear): PipelinePorts {
  const { input } = ports;
  const subscribe: typeof input.subscribe = (...where) => {
    const subscription = input.subscribe(...where);
    return new Proxy(subscription, {
      get: (target, name) => {
        if (ear.isDeaf && name === 'failure') return undefined;
        if (ear.isDeaf && name === 'take') return () => undefined;
        if (name === 'onChange')
          return (listener: (() => void) | undefined) => {
            if (listener !== undefined) ear.wakes.push(listener);
            target.onChange(listener);
          };
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      },
    });
  };
  return { ...ports, input: { close: () => input.close(), subscribe } };
}

interface Ear {
  isDeaf: boolean;
  readonly wakes: (() => void)[];
}

test.each([
  ['had stopped before', 2_000, 0],
  ['stops when it has come back', 0, BLOCK_MS],
])(
  '[R3][X4] a task that %s, over records that others never read, begins again from their last commit',
  async (_what, knownMs, blockMs) => {
    const ear: Ear = { isDeaf: false, wakes: [] };
    const world = new World({
      seed: 86,
      commitIntervalMs: 60_000,
      adapt: (ports, name) => (name === 'b' ? hardOfHearing(ports, ear) : ports),
    });
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
    if (knownMs === 0) second.host.pause();
    // Records that were read and not committed are lost.
    log.partition(INPUT, partition).changeLeader({ losesFrom: committedPosition });
    await time.runFor(knownMs);
    if (knownMs > 0) expect(second.instance.status()).toMatchObject([{ partition, state: 'stopped' }]);
    second.host.pause();
    await beat(40);
    expect(first.instance.status()).toContainEqual(expect.objectContaining({ partition, state: 'running' }));
    ear.isDeaf = blockMs > 0;
    second.host.resume();
    await time.runFor(blockMs);
    ear.isDeaf = false;
    for (const wake of ear.wakes) wake();
    await beat(60);
    const owners = [first, second].flatMap(({ instance }) =>
      instance.status().filter((task) => task.partition === partition),
    );
    expect(owners.map(({ state }) => state)).toEqual(['running']);
  },
);

test.each([
  ['missed', 57, 60],
  ['counted from one again', 57, 2],
])('[R3] a stopped task begins again where generations were %s: %i, then %i', async (_what, before, after) => {
  const listeners: MembershipListener[] = [];
  let generation = before;
  let isBroken = false;
  const assignment = (): Assignment => ({ generation, memberId: 'm', partitions: [0], instances: [] });
  const world = new World({
    seed: 71,
    partitions: 1,
    adapt: (ports) => ({
      ...ports,
      membership: {
        start: (listener) => {
          listeners.push(listener);
          listener.assigned(assignment());
          return Promise.resolve();
        },
        confirm: () => Promise.resolve(assignment()),
        leave: () => Promise.resolve(),
      },
      clock: {
        monotonicMs: () => ports.clock.monotonicMs(),
        after: (delay, call) => ports.clock.after(delay, call),
        wallMs: () => {
          if (isBroken) throw new PartitionStopped('broken on purpose');
          return ports.clock.wallMs();
        },
      },
    }),
  });
  const { time } = world.simulation;
  const process = world.launch('a');
  await time.runFor(3_000);
  isBroken = true;
  world.beat('k1');
  await time.runFor(2_000);
  isBroken = false;
  const stateIn = async (now: number): Promise<unknown> => {
    generation = now;
    for (const listener of listeners) listener.assigned(assignment());
    await time.runFor(5_000);
    return process.instance.status()[0]!.state;
  };
  // It has been a member in each of these.
  expect([await stateIn(before), await stateIn(before + 1)]).toEqual(['stopped', 'stopped']);
  expect(await stateIn(after)).toBe('running');
});
