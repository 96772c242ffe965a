import type { DurationMs, Millis } from '@flatline/base';

/** When a schedule runs beyond its next due instant. Without `everyMs` and `cron` it runs once. */
export interface Specification {
  readonly everyMs: DurationMs | undefined;
  readonly cron: string | undefined;
  /** For a cron expression. */
  readonly timeZone: string;
  readonly startAt: Millis | undefined;
  readonly endAt: Millis | undefined;
  readonly maxRuns: number | undefined;
  readonly expiresMs: DurationMs | undefined;
  /** Each run is later by some of this. */
  readonly jitterMs: DurationMs | undefined;
}

/** A schedule that runs once and says nothing else. */
export const ONCE: Specification = {
  everyMs: undefined,
  cron: undefined,
  timeZone: '',
  startAt: undefined,
  endAt: undefined,
  maxRuns: undefined,
  expiresMs: undefined,
  jitterMs: undefined,
};
