// A world's record of deliveries, for its judge: each attempt as its sender began it and as the site heard it.
import type { Millis } from '@flatline/base';
import type { BegunAttempt, CommittedPosition, HeardRequest, SiteAnswer } from '@flatline/oracle/deliveries';

/** Completed as it goes on. */
export interface RecordedAttempt extends BegunAttempt {
  endedAt: Millis | undefined;
  isDelivered?: boolean;
  heard?: RecordedRequest;
}

interface RecordedRequest extends HeardRequest {
  answer?: SiteAnswer;
}

export class DeliveryLedger {
  readonly begun: RecordedAttempt[] = [];
  readonly positions: CommittedPosition[] = [];
  /** Breaches that show at once, in words. */
  readonly breaches: string[] = [];
}
