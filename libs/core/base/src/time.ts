/** An instant: integer milliseconds since the Unix epoch, UTC. Flavoured so that a duration is not passed for it. */
export type Millis = number & { readonly __flavour?: 'instant' };

/** The last instant there is: what `Date` can hold (ECMA-262, Time Values), in the year 275760. */
export const INSTANT_MAX: Millis = 8.64e15;

/** A length of time in integer milliseconds. */
export type DurationMs = number & { readonly __flavour?: 'duration' };

/** Undoes a `Clock.after`; calling it twice, or after the callback ran, does nothing. */
export type Cancel = () => void;

/**
 * The shell's only source of time. The core never sees one: pure code is handed the time as an argument.
 * A simulation implements it in virtual time.
 */
export interface Clock {
  /** This machine's idea of the present. May step in either direction; never evidence of silence (C1). */
  wallMs(): Millis;
  /** Milliseconds since an arbitrary origin; never goes back. */
  monotonicMs(): DurationMs;
  /** Runs `callback` once, `delayMs` from now at the earliest. A pending call does not keep the process alive. */
  after(delayMs: DurationMs, callback: () => void): Cancel;
}
