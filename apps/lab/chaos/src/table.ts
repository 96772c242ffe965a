// The numbers that the table of faults asks for, as portions of a few minutes each: `--scenario table`.
import type { Portion } from './campaign.ts';
import { scenarios } from './scenarios/index.ts';
import { failpoints } from './stage/failpoints.ts';

/** F1: each place so often, and so often at random moments. */
const KILLS_PER_PLACE = 20;
const RANDOM_PORTIONS = 5;
const RANDOM_PER_PORTION = 60;
/** F2: 200 in three kinds. F2b: 200 in ten. F3: 100, of which the longest stop is divided in two. */
const OUTCOMES_PER_KIND = 67;
const STEPS_PER_KIND = 20;
const STOPS = 34;
const STALE_STORES = 9;

export function table(seed: number): readonly Portion[] {
  return [
    ...failpoints.map((_, index) => portion('F1', { first: 1 + index, faults: KILLS_PER_PLACE, seed })),
    ...repeat(RANDOM_PORTIONS, (index) =>
      portion('F1', { first: 1 + failpoints.length, faults: RANDOM_PER_PORTION, seed: seed + 100 * (1 + index) }),
    ),
    ...repeat(3, (index) => portion('F2', { first: 1 + index, faults: OUTCOMES_PER_KIND, seed })),
    ...repeat(10, (index) => portion('F2b', { first: 1 + index, faults: STEPS_PER_KIND, seed })),
    portion('F3', { first: 3, faults: STOPS / 2, seed }),
    portion('F3', { first: 3, faults: STOPS / 2, seed: seed + 100 }),
    ...repeat(2, (index) => portion('F3', { first: 1 + index, faults: STOPS, seed })),
    portion('F9', { trials: STALE_STORES, seed }),
    portion('F8', { trials: 2, seed }),
    // Every variant of all others once.
    ...scenarios
      .filter(({ id, skipped }) => skipped === undefined && !['F1', 'F2', 'F2b', 'F3', 'F9', 'F8'].includes(id))
      .map(({ id, variants }) => portion(id, { trials: variants, seed })),
  ];
}

function portion(
  id: string,
  { first = 1, trials = 1, faults, seed }: { first?: number; trials?: number; faults?: number; seed: number },
): Portion {
  return { scenario: scenarios.find((each) => each.id === id)!, first, trials, faults, seed };
}

function repeat(times: number, of: (index: number) => Portion): Portion[] {
  return Array.from({ length: times }, (_, index) => of(index));
}
