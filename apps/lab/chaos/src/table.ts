// The numbers that the table of faults asks for, as portions of a few minutes each: `--scenario table`.
import type { Portion } from './campaign.ts';
import { scenarios } from './scenarios/index.ts';
import { failpoints } from './stage/failpoints.ts';

/** F1: each place so often, and so often at random moments. */
const killsPerPlace = 20;
const randomPortions = 5;
const randomPerPortion = 60;
/** F2: 200 in three kinds. F2b: 200 in ten. F3: 100, of which the longest stop is divided in two. */
const outcomesPerKind = 67;
const stepsPerKind = 20;
const stops = 34;
const staleStores = 9;

export function table(seed: number): readonly Portion[] {
  return [
    ...failpoints.map((_, index) => portion('F1', { first: 1 + index, faults: killsPerPlace, seed })),
    ...repeat(randomPortions, (index) =>
      portion('F1', { first: 1 + failpoints.length, faults: randomPerPortion, seed: seed + 100 * (1 + index) }),
    ),
    ...repeat(3, (index) => portion('F2', { first: 1 + index, faults: outcomesPerKind, seed })),
    ...repeat(10, (index) => portion('F2b', { first: 1 + index, faults: stepsPerKind, seed })),
    portion('F3', { first: 3, faults: stops / 2, seed }),
    portion('F3', { first: 3, faults: stops / 2, seed: seed + 100 }),
    ...repeat(2, (index) => portion('F3', { first: 1 + index, faults: stops, seed })),
    portion('F9', { runs: staleStores, seed }),
    portion('F8', { runs: 2, seed }),
    // Every variant of all others once.
    ...scenarios
      .filter(({ id, skipped }) => skipped === undefined && !['F1', 'F2', 'F2b', 'F3', 'F9', 'F8'].includes(id))
      .map(({ id, variants }) => portion(id, { runs: variants, seed })),
  ];
}

function portion(
  id: string,
  { first = 1, runs = 1, faults, seed }: { first?: number; runs?: number; faults?: number; seed: number },
): Portion {
  return { scenario: scenarios.find((each) => each.id === id)!, first, runs, faults, seed };
}

function repeat(times: number, of: (index: number) => Portion): Portion[] {
  return Array.from({ length: times }, (_, index) => of(index));
}
