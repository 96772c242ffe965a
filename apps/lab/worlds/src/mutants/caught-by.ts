// Which seed caught each mutant last: a hunt begins with it, so that a mutant mostly costs one world. No claim is made by it: where
// that world no longer catches its mutant, the hunt goes on as without.
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('caught-by.json', import.meta.url);

/** By the name of the mutant. */
export const SEED_THAT_CAUGHT: ReadonlyMap<string, number> = new Map(
  Object.entries(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, number>),
);

/** Writes what a hunt has found, beside what is known of the mutants it left out. */
export function recordCaughtBy(seeds: ReadonlyMap<string, number>): void {
  const all = [...new Map([...SEED_THAT_CAUGHT, ...seeds])].sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(all), undefined, 2)}\n`);
}
