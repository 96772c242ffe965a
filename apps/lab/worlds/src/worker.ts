// A process that runs seeds as they are handed to it. With a mutant it runs the product with that one change.
import { applyMutant, mutantNamed } from './mutation.ts';
import { resultOf } from './tally.ts';

const [mutant] = process.argv.slice(2);
if (mutant !== undefined) applyMutant(mutantNamed(mutant));
// Only now: the product is loaded with it.
const { runSeed } = await import('./seed-run.ts');

process.on('message', (seed: number) => {
  void runSeed(seed).then((report) => process.send?.(resultOf(report)));
});
process.on('disconnect', () => {
  process.exit();
});
process.send?.('ready');
