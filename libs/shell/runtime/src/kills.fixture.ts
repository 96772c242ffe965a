// Deeds of clients while processes die and are replaced; then calm.
import { type Random } from '@flatline/base';
import { calm } from '@flatline/cluster';
import type { Process, World } from './world.fixture.ts';

const DEEDS = 150;
const KILL_CHANCE = 0.03;

export interface Kills {
  readonly random: Random;
  /** Longest pause between two deeds. */
  readonly pauseMs: number;
  /** Until all that lives has ended. */
  readonly calmMs: number;
}

/** Has two processes run meanwhile. Resolves with what made any of them fail. */
export async function whileProcessesDie(world: World, kills: Kills, act: () => void): Promise<readonly Error[]> {
  const { random, pauseMs, calmMs } = kills;
  const { time, faults } = world.simulation;
  const processes: Process[] = ['a', 'b'].map((name) => world.launch(name));
  await time.runFor(8_000);
  for (let deed = 0; deed < DEEDS; deed += 1) {
    act();
    await time.runFor(random.below(pauseMs));
    if (!random.chance(KILL_CHANCE)) continue;
    const at = random.below(processes.length);
    const { name, host } = processes[at]!;
    host.kill();
    await time.runFor(random.below(3_000));
    processes[at] = world.launch(name);
  }
  faults.setRates(calm);
  // Some have died of a fault of their own.
  for (const { name, host } of [...processes]) if (!host.alive) processes.push(world.launch(name));
  await time.runFor(calmMs);
  return processes.flatMap(({ failures }) => failures);
}
