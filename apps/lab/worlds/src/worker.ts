// A process that runs worlds on request. With a mutant it runs the product with that one change.
import { editSources } from '@flatline/cluster/source-edits';
import { MUTANTS } from './mutants/index.ts';
import type { HuntedMutant } from './mutants/mutant.ts';
import { resultOf, type WorldWanted } from './tally.ts';

const [mutant] = process.argv.slice(2);
if (mutant !== undefined) editSources([mutantNamed(mutant)]);
// Imported only now, so that the product is loaded with the mutant.
const { liveWorld } = await import('./world.ts');

const { liveLookUpWorld } = await import('./looking/look-up-world.ts');

process.on('message', ({ seed, kind, looksUp = false }: WorldWanted) => {
  const result = looksUp ? liveLookUpWorld(seed) : liveWorld(seed, kind).then(resultOf);
  void result.then((each) => process.send?.(each));
});
process.on('disconnect', () => {
  process.exit();
});
process.send?.('ready');

/** @throws Error if there is none of this name. */
function mutantNamed(name: string): HuntedMutant {
  const found = MUTANTS.find((mutant) => mutant.name === name);
  if (found === undefined)
    throw new Error(`no mutant ${name}; there are ${MUTANTS.map((each) => each.name).join(', ')}`);
  return found;
}
