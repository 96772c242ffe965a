// Writes the workload from a step on, and says after each step that it is written. Arguments: state directory, seed, step.
import { LmdbStores } from '../lmdb-stores.ts';
import { writeSync } from 'node:fs';
import { workloadStep } from './workload.ts';

const [stateDir, seed, firstStep] = process.argv.slice(2);
const stores = LmdbStores.open({ stateDir: stateDir!, application: 'app', pipeline: 'visits' });
const { store } = await stores.open(0);
for (let step = Number(firstStep); ; step += 1) {
  const { changes, checkpoint } = workloadStep(Number(seed), step);
  store.write(changes, checkpoint);
  writeSync(1, `${step}\n`);
}
