import type { SourceEdit } from '@flatline/cluster/source-edits';

/** One deliberate fault in the product, which the simulation has to find. */
export interface Mutant extends SourceEdit {
  readonly name: string;
}
