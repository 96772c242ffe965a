import type { Millis } from '@flatline/base';
import type { LeaseEvent } from '@flatline/ports/formats';

/** The part of an answer that a holder looks at. */
export type HeardLease = Pick<LeaseEvent, 'token' | 'requestId' | 'timeoutMs' | 'deadlineAt' | 'endsAt'> & {
  readonly type: string;
  readonly reason?: string | undefined;
  /** A refusal names the attributes of whoever is in the way, and when asking again may help. */
  readonly holder?: ReadonlyMap<string, string> | undefined;
  readonly retryAt?: Millis | undefined;
  /** The holder's own, of a grant. */
  readonly attributes?: ReadonlyMap<string, string> | undefined;
};
