// The mutants of each kind, hunted in worlds of it: of each folder what its `<kind>-mutants.ts` exports. Tidy names a kind without any.
//
// A separate entry, which loads nothing of the product, and so not the list of kinds either: sources are changed before they are loaded.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { KindName } from '@flatline/base';
import type { Mutant } from './mutants/mutant.ts';

export type { Mutant } from './mutants/mutant.ts';

type Exports = Readonly<Record<string, readonly Mutant[]>>;

const here = import.meta.dirname;
const kinds = readdirSync(here)
  .filter((folder) => existsSync(join(here, folder, `${folder}-mutants.ts`)))
  .sort() as KindName[];

async function mutantsOf(kind: KindName): Promise<readonly Mutant[]> {
  return Object.values((await import(`./${kind}/${kind}-mutants.ts`)) as Exports).flat();
}

export const KIND_MUTANTS: ReadonlyMap<KindName, readonly Mutant[]> = new Map(
  await Promise.all(kinds.map(async (kind) => [kind, await mutantsOf(kind)] as const)),
);
