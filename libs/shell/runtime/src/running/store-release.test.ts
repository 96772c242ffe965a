// A successor may open the local store as soon as its owner says that it is closed: nothing says so before (R2).
import { PartitionStopped } from '@flatline/base';
import { pause } from '@flatline/system';
import { describe, expect, test } from '@jest/globals';
import type { PipelinePorts } from '../index.ts';
import { type Process, World } from '../world.fixture.ts';

const CLOSE_MS = 2_000;

/** One process whose store takes two seconds to close, and whose commits meet `obstacle` once it is set. */
function slowWorld(): { world: World; process: Process; meet(error: Error): void } {
  let obstacle: Error | undefined;
  const adapt = ({ stores, clock, ...ports }: PipelinePorts): PipelinePorts => ({
    ...ports,
    clock: {
      monotonicMs: () => clock.monotonicMs(),
      after: (delayMs, callback) => clock.after(delayMs, callback),
      wallMs: () => {
        if (obstacle !== undefined) throw obstacle;
        return clock.wallMs();
      },
    },
    stores: {
      isShared: stores.isShared,
      localCheckpoints: () => stores.localCheckpoints(),
      noteDrop: stores.noteDrop.bind(stores),
      drops: () => stores.drops(),
      open: async (partition, how) => {
        const opened = await stores.open(partition, how);
        const close = opened.store.close.bind(opened.store);
        opened.store.close = async () => {
          await pause(clock, CLOSE_MS);
          await close();
        };
        return opened;
      },
    },
  });
  const world = new World({ seed: 78, partitions: 2, oneDisk: true, adapt });
  const meet = (error: Error): void => {
    obstacle = error;
  };
  return { world, process: world.launch('a'), meet };
}

/** Partitions whose store the process has open. */
const openIn = ({ world }: ReturnType<typeof slowWorld>): number[] =>
  [0, 1].filter((partition) => world.simulation.disk('machine').lockedBy(partition) === 'a');

/** Partitions whose store it still had open when it said that its tasks were let go. */
async function openAtTheEnd(
  slow: ReturnType<typeof slowWorld>,
  end: (instance: Process['instance']) => Promise<void>,
): Promise<number[]> {
  let open: number[] | undefined;
  void end(slow.process.instance).then(() => {
    open = openIn(slow);
  });
  await slow.world.simulation.time.runFor(10_000);
  expect(open).toBeDefined();
  return open!;
}

describe('[R2] TR2 what is let go has closed its store', () => {
  test('[R2] TR2 while a stopped partition is still closing it', async () => {
    const slow = slowWorld();
    const { time } = slow.world.simulation;
    await time.runFor(8_000);
    slow.world.beat('k1');
    await time.runFor(500);
    slow.meet(new PartitionStopped('a record is too large'));
    slow.world.beat('k1');
    await time.runFor(600);
    const states = slow.process.instance.status().map(({ state }) => state);
    expect(states).toContain('stopped');
    expect(openIn(slow)).toEqual([0, 1]);
    expect(await openAtTheEnd(slow, (instance) => instance.abort())).toEqual([]);
  });

  test('[R2] TR2 while it is being left to another process of the machine', async () => {
    const slow = slowWorld();
    const { time } = slow.world.simulation;
    slow.world.launch('b');
    await time.runFor(15_000);
    expect(openIn(slow)).toHaveLength(1);
    expect(await openAtTheEnd(slow, (instance) => instance.stop())).toEqual([]);
  });
});
