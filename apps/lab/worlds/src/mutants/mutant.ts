import type { KindName } from '@flatline/base';
import type { Mutant } from '@flatline/lab-kinds/mutants';

/** One of what all kinds have in common. */
export interface EngineMutant extends Mutant {
  /** Hunted in worlds of this kind, where those of most others would miss it. */
  readonly kind?: KindName;
}

export interface HuntedMutant extends Mutant {
  readonly kind: KindName;
}

/** But for those that name another kind. */
export function huntedIn(kind: KindName, mutants: readonly EngineMutant[]): HuntedMutant[] {
  return mutants.map((mutant) => ({ kind, ...mutant }));
}
