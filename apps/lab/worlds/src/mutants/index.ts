import { KIND_MUTANTS } from '@flatline/lab-kinds/mutants';
import { CHANGELOG_MUTANTS } from './changelog.ts';
import { COMMIT_MUTANTS } from './commits.ts';
import { DELIVERY_MUTANTS } from './deliveries.ts';
import { INPUT_MUTANTS } from './input.ts';
import { INVARIANT_MUTANTS } from './invariants.ts';
import { LOOK_UP_MUTANTS } from './look-ups.ts';
import { type EngineMutant, huntedIn, type HuntedMutant } from './mutant.ts';
import { RESTORING_MUTANTS } from './restoring.ts';
import { ROUTE_MUTANTS } from './routes.ts';
import { STORE_MUTANTS } from './stores.ts';
import { TASK_MUTANTS } from './tasks.ts';
import { TIME_MUTANTS } from './time.ts';

const OF_THE_ENGINE: readonly EngineMutant[] = [
  ...INPUT_MUTANTS,
  ...TIME_MUTANTS,
  ...STORE_MUTANTS,
  ...COMMIT_MUTANTS,
  ...RESTORING_MUTANTS,
  ...CHANGELOG_MUTANTS,
  ...INVARIANT_MUTANTS,
  ...LOOK_UP_MUTANTS,
  ...ROUTE_MUTANTS,
  ...DELIVERY_MUTANTS,
  ...TASK_MUTANTS,
];

/** Mutants of the engine are hunted in worlds of sessions, which reach most of it. */
export const MUTANTS: readonly HuntedMutant[] = [
  ...huntedIn('session', OF_THE_ENGINE),
  ...[...KIND_MUTANTS].flatMap(([kind, mutants]) => huntedIn(kind, mutants)),
];
