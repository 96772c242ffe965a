// The settings of a partition's commits, as it states them, and whether it still states all of them (K1).
import type { Simulation } from '@flatline/cluster';
import { type PartitionHistory, settingsIn } from '@flatline/oracle';
import { changelogEver, changelogLeft } from './histories.ts';

export type SaidSettings = NonNullable<PartitionHistory['settings']>;

/** The oldest of more are forgotten. */
const STRETCHES_KEPT = 32;

/** From all commits that there ever were, which the judge scans beforehand. */
export async function settingsSaid(simulation: Simulation, partition: number): Promise<SaidSettings> {
  const said = await settingsIn(changelogEver(simulation, partition));
  for (let changes = said.length; changes > 1; changes -= 1) simulation.faults.count('settingsChanged');
  return said;
}

/** Truncation removes blocks, but none of the settings that were in force. */
export async function checkSettingsKept(
  simulation: Simulation,
  partition: number,
  said: SaidSettings,
): Promise<string[]> {
  const left = await settingsIn(changelogLeft(simulation, partition));
  const kept = new Map(left.map(({ sequence, text }) => [sequence, text]));
  return said
    .slice(-STRETCHES_KEPT)
    .filter(({ sequence, text }) => kept.get(sequence) !== text)
    .map(
      ({ sequence, from }) =>
        `[K1] nothing says any more by which settings the commits from ${sequence} on, of input from ${from}, were made`,
    );
}
