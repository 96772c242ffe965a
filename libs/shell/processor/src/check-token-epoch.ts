// Whether tokens go on growing (L3).
import { Misconfigured } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import { committedIn } from '@flatline/runtime';

type Leases = Pick<Extract<PipelineConfig, { readonly kind: 'lease' }>, 'name' | 'group' | 'rules'>;

/**
 * @param notes what stands beside the offsets that the pipeline's group has committed
 * @throws Misconfigured
 */
export function checkTokenEpoch({ name, group, rules: { tokenEpoch } }: Leases, notes: readonly string[]): void {
  const granted = Math.max(0, ...notes.map((note) => committedIn(note)?.tokenEpoch ?? 0));
  if (granted <= tokenEpoch) return;
  throw new Misconfigured(
    `pipeline ${name}: tokenEpoch is ${tokenEpoch}, and group ${group} has granted leases with ${granted}: fences that have seen ` +
      `their tokens would refuse all that come. Set tokenEpoch to ${granted} or more`,
  );
}
