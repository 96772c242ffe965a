// Writes the workload until the disk is full, then twice more. Prints the steps written and each error as JSON.
// Arguments: state directory, seed.
import { LmdbStores } from '../lmdb-stores.ts';
import { workloadStep } from './workload.ts';

const [stateDir, seed] = process.argv.slice(2);
const stores = LmdbStores.open({ stateDir: stateDir!, application: 'app', pipeline: 'visits' });
const { store } = await stores.open(0);
const errors: string[] = [];
let written = 0;
while (errors.length < 3) {
  const { changes, checkpoint } = workloadStep(Number(seed), written + 1);
  try {
    store.write(changes, checkpoint);
    written += 1;
  } catch (error) {
    errors.push(String(error));
  }
}
await stores.close();
console.log(JSON.stringify({ written, errors }));
