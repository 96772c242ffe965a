// A stopped partition goes on without a new process: when it is told to, or by itself where the brokers may have been mended.
import { PartitionStopped } from '@flatline/base';
import { describe, expect, test } from '@jest/globals';
import type { PipelinePorts } from '../index.ts';
import { type Process, World } from '../world.fixture.ts';

/** Error that commits meet while it is set. */
interface Obstacle {
  error: Error | undefined;
}

const tooLarge = (isMendable: boolean): PartitionStopped =>
  new PartitionStopped('a record is too large', undefined, { isMendable });

function worldWith(obstacle: Obstacle, stoppedRetryMs?: number): { world: World; process: Process } {
  const adapt = (ports: PipelinePorts): PipelinePorts => ({
    ...ports,
    changelog: {
      close: () => ports.changelog.close(),
      subscribe: (...where) => {
        if (obstacle.error !== undefined) throw obstacle.error;
        return ports.changelog.subscribe(...where);
      },
    },
    clock: {
      monotonicMs: () => ports.clock.monotonicMs(),
      after: (delayMs, callback) => ports.clock.after(delayMs, callback),
      // A running task asks this between records.
      wallMs: () => {
        if (obstacle.error !== undefined) throw obstacle.error;
        return ports.clock.wallMs();
      },
    },
  });
  const world = new World({ seed: 71, partitions: 1, adapt, ...(stoppedRetryMs !== undefined && { stoppedRetryMs }) });
  return { world, process: world.launch('a') };
}

const stateOf = ({ instance }: Process): string => instance.status()[0]!.state;

async function stoppedWith(
  error: Error,
  stoppedRetryMs?: number,
): Promise<{ world: World; process: Process; obstacle: Obstacle }> {
  const obstacle: Obstacle = { error: undefined };
  const { world, process } = worldWith(obstacle, stoppedRetryMs);
  const { time } = world.simulation;
  await time.runFor(3_000);
  world.beat('k1');
  await time.runFor(500);
  obstacle.error = error;
  world.beat('k2');
  await time.runFor(2_000);
  expect(stateOf(process)).toBe('stopped');
  return { world, process, obstacle };
}

async function expectAllClosed({ world, process }: { world: World; process: Process }): Promise<void> {
  await world.simulation.time.runFor(20_000);
  expect(stateOf(process)).toBe('running');
  expect(world.closed()).toEqual(world.expected());
  expect(world.closed()).toHaveLength(2);
  expect(process.failures).toEqual([]);
}

describe('a stopped partition', () => {
  test('[R3] tries again when it is told to: it stops again while the cause is there, and goes on once it is not', async () => {
    const stopped = await stoppedWith(tooLarge(false));
    const { world, process, obstacle } = stopped;
    expect(process.instance.restart(7)).toBe(false);
    expect(process.instance.restart(0)).toBe(true);
    expect(process.instance.restart(0)).toBe(false);
    await world.simulation.time.runFor(5_000);
    expect(stateOf(process)).toBe('stopped');
    obstacle.error = undefined;
    expect(process.instance.restart(0)).toBe(true);
    await expectAllClosed(stopped);
    expect(process.instance.restart(0)).toBe(false);
  });

  test('[R3] tries again by itself, less and less often, where the brokers may have been mended', async () => {
    const stopped = await stoppedWith(tooLarge(true), 1_000);
    const { world, process, obstacle } = stopped;
    await world.simulation.time.runFor(10_000);
    expect(stateOf(process)).toBe('stopped');
    const tries = process.lines.filter((line) => line.includes('partition stopped')).length;
    expect(tries).toBeGreaterThan(2);
    expect(tries).toBeLessThan(6);
    obstacle.error = undefined;
    await expectAllClosed(stopped);
  });

  test('[R3] waits for its operator where the log is not what was read', async () => {
    const stopped = await stoppedWith(tooLarge(false), 1_000);
    const { world, process, obstacle } = stopped;
    obstacle.error = undefined;
    await world.simulation.time.runFor(60_000);
    expect(stateOf(process)).toBe('stopped');
    expect(process.instance.restart(0)).toBe(true);
    await expectAllClosed(stopped);
  });

  test('[R3] lets go of the partition as before while it waits for its next try', async () => {
    const { world, process } = await stoppedWith(tooLarge(true), 60_000);
    await world.simulation.time.complete(process.instance.stop());
    expect(process.instance.status()).toEqual([]);
    await world.simulation.time.runFor(120_000);
    expect(process.failures).toEqual([]);
  });
});
