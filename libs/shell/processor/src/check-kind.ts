// Checks that the state a pipeline has kept so far is of the kind that it is configured as (I4).
import type { PipelineConfig } from '@flatline/config';
import { committedIn, otherKind } from '@flatline/runtime';

/**
 * @param notes what stands beside the offsets that the pipeline's group has committed
 * @throws Misconfigured. What the changelog itself says is looked at as it is read.
 */
export function checkKind(
  { name, kind, group }: Pick<PipelineConfig, 'name' | 'kind' | 'group'>,
  notes: readonly string[],
): void {
  const kept = notes.map((note) => committedIn(note)?.kind).find((each) => each !== undefined && each !== kind);
  if (kept === undefined) return;
  throw otherKind(name, kind, `group ${group}`, kept);
}
