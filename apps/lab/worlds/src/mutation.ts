// Runs the product with one deliberate fault in its source, to see whether the simulation notices.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { type Mutant, MUTANTS } from './mutants.ts';

const ROOT = new URL('../../../../', import.meta.url);

/** @throws Error where there is none of this name. */
export function mutantNamed(name: string): Mutant {
  const found = MUTANTS.find((mutant) => mutant.name === name);
  if (found === undefined)
    throw new Error(`no mutant ${name}; there are ${MUTANTS.map((each) => each.name).join(', ')}`);
  return found;
}

/** Modules loaded from now on in this process have the change. @throws Error where the text to change is not there once. */
export function applyMutant(mutant: Mutant): void {
  const url = new URL(mutant.file, ROOT).href;
  const changed = mutatedSource(mutant);
  registerHooks({
    load: (each, context, nextLoad) => {
      const loaded = nextLoad(each, context);
      return each === url ? { ...loaded, source: changed } : loaded;
    },
  });
}

export function mutatedSource({ name, file, from, to }: Mutant): string {
  const source = readFileSync(fileURLToPath(new URL(file, ROOT)), 'utf8');
  const parts = source.split(from);
  if (parts.length !== 2)
    throw new Error(
      `mutant ${name}: ${file} has «${from}» ${parts.length - 1} times, wanted once: the source has changed`,
    );
  return parts.join(to);
}
