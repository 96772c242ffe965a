// A process that runs worlds on request. With a mutant it runs the product with that one change.
import { editSources } from '@flatline/cluster/source-edits';
import { MUTANTS } from './mutants/index.ts';
import type { HuntedMutant } from './mutants/mutant.ts';
import type { WorldWanted } from './tally.ts';

const [mutant] = process.argv.slice(2);
if (mutant !== undefined) editSources([mutantNamed(mutant)]);
// Imported only now, so that the product is loaded with the mutant.
const { liveWanted } = await import('./live-wanted.ts');

process.on('message', (wanted: WorldWanted) => {
  void liveWanted(wanted).then((result) => process.send?.(result));
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
