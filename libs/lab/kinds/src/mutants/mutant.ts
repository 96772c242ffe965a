import type { SourceEdit } from '@flatline/cluster/source-edits';

/** One deliberate fault in the product, which the simulation has to find. */
export interface Mutant extends SourceEdit {
  readonly name: string;
  /** Id of the invariant of the core that has to tell of it, in an `inspect` or an assertion. Default: whatever finds it first does. */
  readonly invariant?: string;
  /** One that finds it: tried first. */
  readonly seed?: number;
}
