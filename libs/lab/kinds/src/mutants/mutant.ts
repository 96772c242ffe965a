import type { SourceEdit } from '@flatline/cluster/source-edits';

/** One deliberate fault in the product, which the simulation must find. */
export interface Mutant extends SourceEdit {
  readonly name: string;
  /** Id of the core invariant that must detect it, in an `inspect` or an assertion. Default: the first finding of any kind counts. */
  readonly invariant?: string;
  /** A seed that finds it: tried first. */
  readonly seed?: number;
}
