import type { PipelineFact } from '../model/facts.ts';

/** What every tab shows: the chosen pipeline. */
export interface TabProps {
  readonly name: string;
  readonly pipeline: PipelineFact;
}
