// Events that worlds of another make must have seen: one whose faults did not happen proves nothing.
import { CHAINS } from './chains/links.ts';
import { MOODS } from './deliveries/sites.ts';
import type { WorldName } from './tally.ts';

interface Wanted {
  /** Seeds from which on everything must have happened at least once. */
  readonly seedsMin: number;
  readonly names: readonly string[];
}

const routing = Object.values(CHAINS).flatMap(({ links }) =>
  links.flatMap(({ name, routes }) => (routes.length === 0 ? [] : [name])),
);

const WANTED: Readonly<Record<WorldName, Wanted>> = {
  // By answers, not seeds: its campaign says what is wanted.
  lookUps: { seedsMin: Infinity, names: [] },
  chain: {
    seedsMin: 60,
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
    seedsMin: 60,
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
    seedsMin: 60,
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

export function missedOfWorlds(world: WorldName, seeds: number, fired: ReadonlyMap<string, number>): readonly string[] {
  const { seedsMin, names } = WANTED[world];
  return seeds < seedsMin ? [] : [...new Set(names)].filter((name) => !fired.has(name));
}
