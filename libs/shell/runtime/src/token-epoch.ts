// Checks that tokens go on growing (L3): all fences refuse a grant with a lower epoch than was granted before.
import { Misconfigured } from '@flatline/base';
import { committedIn } from './offset-note.ts';

/** A pipeline that grants leases. */
interface Granting {
  readonly name: string;
  readonly group: string;
  readonly tokenEpoch?: number;
}

/**
 * @param notes what stands beside offsets that the pipeline's group has committed
 * @throws Misconfigured
 */
export function checkTokenEpoch({ name, group, tokenEpoch = 0 }: Granting, notes: readonly string[]): void {
  const granted = Math.max(0, ...notes.map((note) => committedIn(note)?.tokenEpoch ?? 0));
  if (granted <= tokenEpoch) return;
  throw new Misconfigured(
    `pipeline ${name}: tokenEpoch is ${tokenEpoch}, and group ${group} has granted leases with ${granted}: fences that have seen ` +
      `their tokens would refuse all that come. Set tokenEpoch to ${granted} or more`,
  );
}
