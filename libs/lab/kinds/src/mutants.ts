// The mutants of each kind, hunted in worlds of it, one line each; the compiler names a kind that is missing.
//
// A separate entry, which loads nothing of the product: sources are changed before they are loaded.
import type { KindName } from '@flatline/base';
import { DEBOUNCE_MUTANTS } from './debounce/debounce-mutants.ts';
import { LEASE_MUTANTS } from './lease/lease-mutants.ts';
import type { Mutant } from './mutants/mutant.ts';
import { SCHEDULE_MUTANTS } from './schedule/schedule-mutants.ts';
import { SESSION_MUTANTS } from './session/session-mutants.ts';

export type { Mutant } from './mutants/mutant.ts';

export const KIND_MUTANTS: { readonly [Kind in KindName]: readonly Mutant[] } = {
  session: SESSION_MUTANTS,
  lease: LEASE_MUTANTS,
  debounce: DEBOUNCE_MUTANTS,
  schedule: SCHEDULE_MUTANTS,
};
