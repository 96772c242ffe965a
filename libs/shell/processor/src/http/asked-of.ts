import type { Clock } from '@flatline/base';
import type { Asked } from '../directory/asking.ts';
import { Forwarding } from '../directory/forwarding.ts';
import type { PageSource } from '../directory/paging.ts';
import type { Whole } from './observed.ts';

/** Asks other instances, as this one shows itself to them. */
export interface There {
  /** By one request. */
  readonly there: Asked['there'];
  readonly pageThere: PageSource['pageThere'];
}

/** All that is behind a port, as who looks for keys asks it. */
export function askedOf(whole: Whole, clock: Clock, there: There): Asked & PageSource {
  const forwarding = new Forwarding((...question) => there.there(...question), clock);
  return {
    ...there,
    here: (asking) => whole.lookUp(asking),
    there: (endpoint, group, asking) => forwarding.ask(endpoint, group, asking),
    pageHere: (asking) => whole.page(asking),
    endpoint: () => whole.endpoint(),
    wallMs: () => clock.wallMs(),
  };
}
