/** Seeds that found something. Each runs with every test run, and comes first in the hunt for mutants. */
export const REGRESSION_SEEDS: readonly { readonly seed: number; readonly found: string }[] = [
  { seed: 483, found: 'floor 0 stated by the first commit after a start from a store without entries' },
  { seed: 28, found: 'held time of a summary that depended on when its close was drained' },
  { seed: 30, found: 'a deposed leader believed for ever, since its log shows an open transaction' },
  { seed: 440, found: 'an end believed before it was reached, by proof by fetch (a mutant)' },
  { seed: 540, found: 'commits on top of one that is lost, after a look-up below what was acknowledged (a mutant)' },
  { seed: 3339, found: 'a floor forgotten with a store without entries, since batches hold several keys (a mutant)' },
  { seed: 564, found: 'a lost claim waited for without end, once commits had grown (a mutant)' },
  { seed: 586, found: 'the same, since a group of records stops where the commit is full (a mutant)' },
  { seed: 1812, found: 'a floor forgotten with a store without entries, since stores are written late (a mutant)' },
  { seed: 4291, found: 'acknowledged records of a stopped partition, judged before they were replicated' },
];
