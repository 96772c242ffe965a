/** Seeds that found something. Each runs with every test run, and comes first in the hunt for mutants. */
export const REGRESSION_SEEDS: readonly { readonly seed: number; readonly found: string }[] = [
  { seed: 1367, found: 'floor 0 stated by the first commit after a start from a store without entries' },
  { seed: 411, found: 'a checker that missed the parts of a first commit that had lain below the floor' },
];
