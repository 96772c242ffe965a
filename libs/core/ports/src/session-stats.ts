import type { DurationMs, Millis } from '@flatline/base';

/** A partition's counts of a window that is over, and of the sessions with these values (S12, `schemas/session-stats.avsc`). */
export interface SessionStats {
  readonly windowStart: Millis;
  /** Exclusive. */
  readonly windowEnd: Millis;
  /** Later than the start where counting began within the window. */
  readonly countedFrom: Millis;
  readonly dimensions: ReadonlyMap<string, string>;
  readonly opened: number;
  readonly closed: number;
  readonly byReason: ReadonlyMap<string, number>;
  /** Open at the end of the window. */
  readonly active: number;
  /** How long those lasted that closed. */
  readonly duration: {
    readonly count: number;
    readonly sum: DurationMs;
    /** undefined: none closed. */
    readonly min: DurationMs | undefined;
    readonly max: DurationMs | undefined;
    /** docs/FORMATS.md */
    readonly sketch: Uint8Array;
  };
  readonly partition: number;
}
