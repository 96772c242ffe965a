import type { Clock } from '@flatline/base';
import type { Asked } from '../directory/asking.ts';
import type { Whole } from './observed.ts';

/** All that is behind a port, as who looks for keys asks it. */
export function askedOf(whole: Whole, clock: Pick<Clock, 'wallMs'>, there: Asked['there']): Asked {
  return {
    here: (asking) => whole.lookUp(asking),
    there,
    endpoint: () => whole.endpoint(),
    wallMs: () => clock.wallMs(),
  };
}
