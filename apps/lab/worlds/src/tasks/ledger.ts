// A world's record of workers, for its judge: what no log tells.
import type { DurationMs, Millis } from '@flatline/base';

/** An attempt as its handler saw it. Instants are those of the true clock, in fractions of a millisecond but for `askedAt`. */
export interface BegunAttempt {
  readonly id: string;
  readonly attempt: number;
  readonly token: number | undefined;
  /** The process. */
  readonly worker: string;
  readonly at: Millis;
  /** When its worker asked last where the results end: what was recorded by then, it knew. */
  readonly askedAt: Millis;
  /** When it was told that its lease is held, the first and the last time. */
  firstHeldAt: Millis | undefined;
  lastHeldAt: Millis | undefined;
  /** When it was told to stop. */
  toldAt: Millis | undefined;
  endedAt: Millis | undefined;
  /** Returned by its handler; undefined: it threw, or never ended. */
  result: string | undefined;
  /** How long its machine slept since it got the lease, by `lastHeldAt`; and since `at`, until it ended. */
  suspendedMs: DurationMs;
  sleptMs: DurationMs;
}

/** An outcome that a worker has given to be recorded. */
export interface GivenOutcome {
  readonly worker: string;
  readonly id: string;
  readonly attempt: number;
  readonly token: number | undefined;
  /** By its worker's clock. The append may be later: a retry goes to its own log first. */
  readonly at: Millis;
  /** True if its machine has slept since it got the lease. */
  readonly wasSuspended: boolean;
  /** True if it says that its lease was lost too often. */
  readonly wasLost: boolean;
  /** When its worker heard that it is in the log. */
  acknowledgedAt: Millis | undefined;
}

/** A lease that a worker has given back, when it said so. */
export interface GivenBack {
  readonly worker: string;
  readonly id: string;
  readonly token: number;
  readonly at: Millis;
}

export interface CommittedPlace {
  readonly partition: number;
  readonly offset: number;
  readonly at: Millis;
}

export class TaskLedger {
  readonly begun: BegunAttempt[] = [];
  readonly given: GivenOutcome[] = [];
  readonly commits: CommittedPlace[] = [];
  readonly givenBack: GivenBack[] = [];
  /** Workers by name, with the instant at which each began. */
  readonly workers = new Map<string, Millis>();
  /** Breaches that show at once, in words. */
  readonly breaches: string[] = [];
}
