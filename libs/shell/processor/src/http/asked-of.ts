import type { Clock } from '@flatline/base';
import type { Asked } from '../directory/asking.ts';
import { Forwarding } from '../directory/forwarding.ts';
import type { Whole } from './observed.ts';

/** All that is behind a port, as who looks for keys asks it. `there`: how another instance is asked, by one request. */
export function askedOf(whole: Whole, clock: Pick<Clock, 'wallMs'>, there: Asked['there']): Asked {
  const forwarding = new Forwarding(there);
  return {
    here: (asking) => whole.lookUp(asking),
    there: (endpoint, group, asking) => forwarding.ask(endpoint, group, asking),
    endpoint: () => whole.endpoint(),
    wallMs: () => clock.wallMs(),
  };
}
