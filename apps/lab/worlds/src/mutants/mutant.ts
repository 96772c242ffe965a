import type { KindName } from '@flatline/base';
import type { Mutant } from '@flatline/lab-kinds/mutants';
import type { WorldName } from '../tally.ts';

/** A mutant of code that all kinds share. */
export interface EngineMutant extends Mutant {
  /** Hunted in worlds of this kind, if those of most others would miss it. */
  readonly kind?: KindName;
  /** Hunted in worlds of this make, since others do nothing of what it breaks. Default: in those of one pipeline. */
  readonly world?: WorldName;
}

export interface HuntedMutant extends Mutant {
  readonly kind: KindName;
  readonly world?: WorldName;
}

/** All but those that name another kind. */
export function huntedIn(kind: KindName, mutants: readonly EngineMutant[]): HuntedMutant[] {
  return mutants.map((mutant) => ({ kind, ...mutant }));
}
