// Events that worlds of another make must have seen: one whose faults did not happen proves nothing.
import { CHAINS } from './chains/links.ts';
import { MOODS } from './deliveries/sites.ts';
import type { WorldName } from './tally.ts';

interface Wanted {
  /** Seeds in which everything must have happened at least once: as many are lived where no number is given. */
  readonly seeds: number;
  readonly names: readonly string[];
}

const routing = Object.values(CHAINS).flatMap(({ links }) =>
  links.flatMap(({ name, routes }) => (routes.length === 0 ? [] : [name])),
);

const WANTED: Readonly<Record<WorldName, Wanted>> = {
  // By answers, not seeds: its campaign says what is wanted.
  lookUps: { seeds: Infinity, names: [] },
  chain: {
    seeds: 80,
    names: [
      'killed',
      'frozen',
      'rebalance',
      'transaction/abort',
      'EndTxn/answerDropped',
      ...routing.map((name) => `routed/${name}`),
    ],
  },
  deliveries: {
    seeds: 70,
    names: [
      'killed',
      'frozen',
      'frozenAttempting',
      'frozenCommitting',
      'courierCutOff',
      'attemptsAgain',
      'attemptsStale',
      'breakersOpened',
      ...MOODS.map((mood) => `site/${mood}`),
    ],
  },
  tasks: {
    seeds: 120,
    names: [
      ...['Frozen', 'CutOff', 'Killed'].flatMap((how) =>
        ['', 'Working', 'Recording'].map((when) => `worker${how}${when}`),
      ),
      'workerFrozenActing',
      'workerSuspended',
      'workerLeft',
      'processorKilled',
      'leaderChange',
      'rebalance',
      'takenOver',
      'fencedWrite',
      'lateOutcome',
      'lostForGood',
      'timedOut',
      'task/DONE',
      'task/FAILED',
      'task/POISON',
    ],
  },
};

export function seedsOf(world: WorldName): number {
  return WANTED[world].seeds;
}

/** Names of events that should have happened in so many seeds and did not; none where those are too few to tell. */
export function missedOfWorlds(world: WorldName, seeds: number, fired: ReadonlyMap<string, number>): readonly string[] {
  return seeds < seedsOf(world) ? [] : [...new Set(WANTED[world].names)].filter((name) => !fired.has(name));
}
