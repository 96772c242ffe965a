// A world that was left in the middle, and what a process makes of it that starts there.
import { expect } from '@jest/globals';
import { FLUSH_INTERVAL_MS, type Process, World } from '../world.fixture.ts';

/** Longer than the dead member stays in the group, and an input is asked for its end before it is believed shorter. */
export const LATER = 25_000;

/** A second each, so that a local store has been written. */
export const ROUNDS = FLUSH_INTERVAL_MS / 1_000 + 5;

/** A world in which one process has run for a while and was then killed, with live sessions left. */
export async function afterKill(seed: number): Promise<World> {
  const world = new World({ seed, partitions: 1, timeoutMs: 60_000 });
  const process = world.launch('a');
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let i = 0; i < 20; i += 1) world.beat(`k${i + round}`);
    await world.simulation.time.runFor(1_000);
  }
  process.host.kill();
  return world;
}

export async function restart(world: World): Promise<Process> {
  const process = world.launch('a');
  await world.simulation.time.runFor(LATER);
  return process;
}

/** Everything closes once and with the content of the log. */
export async function expectRight(world: World): Promise<void> {
  await world.simulation.time.runFor(200_000);
  expect(world.closed()).toEqual(world.expected());
  expect(world.closed().length).toBeGreaterThan(20);
}
