// Whether what a pipeline has kept so far is of the kind that it is configured as (I4).
import { Misconfigured } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import { committedIn } from '@flatline/runtime';

/**
 * @param notes what stands beside the offsets that the pipeline's group has committed
 * @throws Misconfigured: heads of one kind may well be read as those of another, and mean something else.
 */
export function checkKind(
  { name, kind, group }: Pick<PipelineConfig, 'name' | 'kind' | 'group'>,
  notes: readonly string[],
): void {
  const kept = notes.map((note) => committedIn(note)?.kind).find((each) => each !== undefined && each !== kind);
  if (kept === undefined) return;
  throw new Misconfigured(
    `pipeline ${name}: kind is "${kind}", and what group ${group} has kept so far is of kind "${kept}". Nothing was reset. Set ` +
      'the kind back; or give the pipeline another name and another output.topic, and it begins with no state',
  );
}
