import type { SourceEdit } from '@flatline/cluster/source-edits';
import type { KindName } from '../kinds/kind-names.ts';

/** One deliberate fault in the product, which the simulation has to find. */
export interface Mutant extends SourceEdit {
  readonly name: string;
  /** Hunted in worlds of this kind. Default: sessions. */
  readonly kind?: KindName;
  /** One that finds it: tried first. */
  readonly seed?: number;
}
