import type { KindName } from '@flatline/base';
import type { Mutant } from '@flatline/lab-kinds/mutants';

/** A mutant of code that all kinds share. */
export interface EngineMutant extends Mutant {
  /** Hunted in worlds of this kind, if those of most others would miss it. */
  readonly kind?: KindName;
  /** Hunted in worlds of look-ups: others ask for nothing. Default: not. */
  readonly looksUp?: boolean;
}

export interface HuntedMutant extends Mutant {
  readonly kind: KindName;
  readonly looksUp?: boolean;
}

/** All but those that name another kind. */
export function huntedIn(kind: KindName, mutants: readonly EngineMutant[]): HuntedMutant[] {
  return mutants.map((mutant) => ({ kind, ...mutant }));
}
