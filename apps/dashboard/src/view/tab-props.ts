import type { PipelineFact } from '../model/facts.ts';

/** Shown by every tab: the chosen pipeline. */
export interface TabProps {
  readonly name: string;
  readonly pipeline: PipelineFact;
}
