// Sessions that no one lives (S13): what comes beyond `maxEvents` is taken as a bare heartbeat.
import type { CloseReason } from '@flatline/ports/formats';
import type { SessionEntry, SessionRules } from './entry.ts';

/** Why the session closes; empty: it lives. */
interface Ending {
  readonly reason: CloseReason | '';
  readonly byOperator?: boolean | undefined;
}

type Counted = Pick<SessionEntry, 'eventCount'>;

/** True if the session takes no more of events than of bare heartbeats. */
export function isFull({ eventCount }: Counted, { maxEvents }: SessionRules): boolean {
  return maxEvents !== undefined && eventCount >= maxEvents;
}

/** True if more events came than the session takes, but for its end, which is always taken. */
export function isCapped(
  { eventCount }: Counted,
  { maxEvents }: SessionRules,
  { reason, byOperator = false }: Ending,
): boolean {
  return maxEvents !== undefined && eventCount - (reason === 'ENDED' && !byOperator ? 1 : 0) > maxEvents;
}
