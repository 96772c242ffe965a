// Runs the simulation over products with one deliberate fault each: what it does not notice there, it proves nothing about.
import { MUTANTS } from './mutants.ts';
import { runPool } from './pool.ts';
import { REGRESSION_SEEDS } from './regression-seeds.ts';
import type { SeedResult } from './tally.ts';

/** A mutant that survives so many seeds has survived. */
const SEEDS_MAX = 400;
const TEXT_MAX = 110;

/** Prints who was caught by what. Returns how many were not. */
export async function huntMutants(workers: number): Promise<number> {
  let caught = 0;
  for (const { name } of MUTANTS) {
    const result = await hunt(name, workers);
    if (result !== undefined) caught += 1;
    const outcome = result === undefined ? 'SURVIVED' : 'caught';
    const what =
      result === undefined ? `${SEEDS_MAX} seeds` : `seed ${result.seed}: ${result.violations[0]!.slice(0, TEXT_MAX)}`;
    console.log(`${outcome.padEnd(9)} ${name.padEnd(42)} ${what.split('\n')[0]!}`);
  }
  console.log(`caught ${caught} of ${MUTANTS.length} mutants in the simulation`);
  return MUTANTS.length - caught;
}

async function hunt(mutant: string, workers: number): Promise<SeedResult | undefined> {
  let caught: SeedResult | undefined;
  const left = [...REGRESSION_SEEDS.map(({ seed }) => seed), ...Array.from({ length: SEEDS_MAX }, (_, at) => at + 1)];
  await runPool({
    workers,
    mutant,
    next: () => (caught === undefined ? left.shift() : undefined),
    onResult: (result) => {
      if (result.violations.length > 0) caught ??= result;
    },
  });
  return caught;
}
