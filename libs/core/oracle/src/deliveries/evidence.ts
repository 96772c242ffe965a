// Input of the judge of deliveries: the topics of one pipeline, each attempt that was begun, and all that the sites have heard.
import type { DurationMs, Millis } from '@flatline/base';
import type { RawHeader } from '../logs/history.ts';

/** A committed record of one partition. */
export interface DeliveryRecord {
  readonly offset: number;
  readonly timestamp: Millis;
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RawHeader[];
}

export interface JudgedSecret {
  /** Prefix of its signatures: `v1`, `v1a`. */
  readonly version: string;
  /** True if `digest`, base64, is its signature of `signed`. */
  readonly hasSigned: (signed: Uint8Array, digest: string) => boolean;
}

export interface JudgedEndpoint {
  readonly name: string;
  readonly on: readonly string[] | undefined;
  readonly order: 'none' | 'key';
  readonly supersede: boolean;
  readonly maxInFlight: number;
  readonly maxPerSecond: number | undefined;
  readonly secrets: readonly JudgedSecret[];
  /** It has once answered that it wants nothing more. */
  readonly saidGone: boolean;
}

/** A site's answer, if it gives one. */
export interface SiteAnswer {
  readonly at: Millis;
  readonly status: number;
  readonly retryAfterMs?: DurationMs | undefined;
}

export interface HeardRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  readonly answer?: SiteAnswer;
}

export interface BegunAttempt {
  readonly endpoint: string;
  readonly id: string;
  /** True time. */
  readonly at: Millis;
  /** Process, `#`, and which of its couriers' runs: the number of the last writer that it opened for the partition. */
  readonly run: string;
  /** By the opened writers, its partition is another process's since: it may repeat what that one does. */
  readonly isStale: boolean;
  /** How long the first writer of another behind its own had been open by then; 0: there is none. */
  readonly fencedMs: DurationMs;
  readonly endedAt: Millis | undefined;
  /** As its sender says: an answer may come too late for that. */
  readonly isDelivered?: boolean;
  readonly heard?: HeardRequest;
}

/** Outputs below `offset` are taken, for good, since `at`, by true time. */
export interface CommittedPosition {
  readonly partition: number;
  readonly offset: number;
  readonly at: Millis;
}

export interface DeliveryEvidence {
  readonly pipeline: string;
  readonly endpoints: readonly JudgedEndpoint[];
  /** By partition, as committed. */
  readonly outputs: readonly (readonly DeliveryRecord[])[];
  readonly kept: readonly (readonly DeliveryRecord[])[];
  readonly undeliverable: readonly (readonly DeliveryRecord[])[];
  readonly begun: readonly BegunAttempt[];
  /** Up to where outputs were taken, in the order of the commits. */
  readonly positions: readonly CommittedPosition[];
}

/** An instant of a record, and that of its writer, differ by no more than this. */
export const SLACK_MS: DurationMs = 20;

export function isSuccess({ heard }: BegunAttempt): boolean {
  const status = heard?.answer?.status ?? 0;
  return status >= 200 && status < 300;
}
