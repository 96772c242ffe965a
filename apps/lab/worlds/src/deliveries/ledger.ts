// A world's record of deliveries, for its judge: each attempt as its sender began it and as the site heard it.
import type { DurationMs, Millis } from '@flatline/base';

/** A site's answer, if it gives one. */
export interface SiteAnswer {
  readonly at: Millis;
  readonly status: number;
  readonly retryAfterMs?: DurationMs | undefined;
}

export interface BegunAttempt {
  readonly endpoint: string;
  readonly id: string;
  /** True time. */
  readonly at: Millis;
  /** Process, and which of its couriers' runs: the number of the last writer that it opened for the partition. */
  readonly run: string;
  /** By the opened writers, its partition is another process's since: it may repeat what that one does. */
  readonly isStale: boolean;
  /** How long the first writer of another behind its own had been open by then; 0: there is none. */
  readonly fencedMs: DurationMs;
  endedAt: Millis | undefined;
  /** As its sender says: an answer may come too late for that. */
  isDelivered?: boolean;
  heard?: HeardRequest;
}

/** Outputs below `offset` are taken, for good, since `at`, by true time. */
export interface CommittedPosition {
  readonly partition: number;
  readonly offset: number;
  readonly at: Millis;
}

export interface HeardRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  answer?: SiteAnswer;
}

export class DeliveryLedger {
  readonly begun: BegunAttempt[] = [];
  readonly positions: CommittedPosition[] = [];
  /** Breaches that show at once, in words. */
  readonly breaches: string[] = [];
}
