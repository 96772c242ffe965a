// The numbers of trials that the table of faults asks for, as portions of a few minutes each: `--scenario table`; those of other
// kinds than sessions: `--scenario kinds`.
import type { Portion } from './campaign.ts';
import { scenariosByKind } from './scenarios/by-kind.ts';
import { scenarios } from './scenarios/index.ts';
import { failpoints } from './stage/failpoints.ts';

/** F1: trials at each place; below, at random moments. */
const KILLS_PER_PLACE = 20;
const RANDOM_PORTIONS = 5;
const RANDOM_PER_PORTION = 60;
/** F2: 200 in three kinds. F2b: 200 in ten. F3: 100, of which the longest stop is divided in two. */
const OUTCOMES_PER_KIND = 67;
const STEPS_PER_KIND = 20;
const STOPS = 34;
const STALE_STORES = 9;
/** Trials of each scenario of other kinds. */
export const TRIALS_BY_KIND = 10;

interface TrialsByKind extends Pick<Portion, 'first' | 'seed' | 'faults'> {
  readonly trials: number | undefined;
}

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

/** One trial of each, then the next of each: a campaign that is stopped early has as many of all. */
export function tableByKind({ trials = TRIALS_BY_KIND, first, ...rest }: TrialsByKind): readonly Portion[] {
  return repeat(trials, (round) =>
    scenariosByKind.map((scenario) => ({ ...rest, scenario, trials: 1, first: first + round })),
  ).flat();
}

function portion(
  id: string,
  { first = 1, trials = 1, faults, seed }: { first?: number; trials?: number; faults?: number; seed: number },
): Portion {
  return { scenario: scenarios.find((each) => each.id === id)!, first, trials, faults, seed };
}

function repeat<T>(times: number, of: (index: number) => T): T[] {
  return Array.from({ length: times }, (_, index) => of(index));
}
