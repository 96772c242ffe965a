import { CHANGELOG_MUTANTS } from './changelog.ts';
import { COMMIT_MUTANTS } from './commits.ts';
import { DEBOUNCE_MUTANTS } from './debounce.ts';
import { INPUT_MUTANTS } from './input.ts';
import { INVARIANT_MUTANTS } from './invariants.ts';
import { LEASE_MUTANTS } from './leases.ts';
import type { Mutant } from './mutant.ts';
import { RESTORING_MUTANTS } from './restoring.ts';
import { SCHEDULE_MUTANTS } from './schedules.ts';
import { STORE_MUTANTS } from './stores.ts';
import { TIME_MUTANTS } from './time.ts';

export const MUTANTS: readonly Mutant[] = [
  ...INPUT_MUTANTS,
  ...TIME_MUTANTS,
  ...STORE_MUTANTS,
  ...COMMIT_MUTANTS,
  ...RESTORING_MUTANTS,
  ...CHANGELOG_MUTANTS,
  ...LEASE_MUTANTS,
  ...DEBOUNCE_MUTANTS,
  ...SCHEDULE_MUTANTS,
  ...INVARIANT_MUTANTS,
];
