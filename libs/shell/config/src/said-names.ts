// Names by which outputs are asked for: `on` of endpoints and of routes.
import type { KindName } from '@flatline/base';

/** What outputs of a kind say of themselves (docs/FORMATS.md): their reasons and types, then those of webhooks. */
const SAID: Readonly<Record<KindName, string>> = {
  session: 'TIMEOUT ENDED MAX_DURATION EVICTED OPENED UPDATED CLOSED session.opened session.updated session.closed',
  lease:
    'GRANTED REJECTED QUEUED EXPIRED RELEASED HELD NOT_HELD WRONG_TOKEN LOCK_DELAY QUEUE_FULL WAITED WITHDRAWN TIMEOUT ' +
    'MAX_DURATION REPLACED EVICTED lease.granted lease.rejected lease.queued lease.expired lease.released',
  debounce: 'LEADING QUIET WINDOW MAX_WAIT MAX_ITEMS MAX_BYTES FLUSHED CANCELLED batch.fired',
  schedule: 'DUE schedule.due',
};

export function namesSaidBy(kind: KindName): readonly string[] {
  return SAID[kind].split(' ');
}
