// Faults of an entry in words: what a kind calls its lives, and their ends.
import type { Millis } from '@flatline/base';

/** A life that is due at an instant, and what is known behind a commit. */
export interface DueLife<State> {
  readonly state: State;
  readonly dueAt: Millis;
  readonly clock: Millis;
}

export interface FaultWords<State> {
  /** The changelog holds what the input does not leave. `returns`: it had ended before. */
  surplus(found: State, returns: boolean): string;
  /** The changelog lacks what lives. */
  lacking(state: State, position: number): string;
  /** The changelog shows what comes later. */
  early(life: DueLife<State>, position: number): string;
  /** It is due, and the changelog does not show it. `state`: undefined: none. `why`: what comes of it. */
  overdue(life: DueLife<State | undefined>, why: string): string;
}

/** `named`: a life in words: `the lease with token 3`. */
export function faultWords<State>(named: (state: State) => string): FaultWords<State> {
  return {
    surplus: (found, returns) =>
      `the changelog holds ${named(found)}, which the input ${returns ? 'had ended before: it returns' : 'does not leave open'}`,
    lacking: (state, position) => `the changelog lacks ${named(state)}, open at position ${position}`,
    early: ({ state, clock }, position) =>
      `${named(state)} took effect early: no record below position ${position} has reached its due instant, the clock was ${clock}`,
    overdue: ({ state, clock }, why) =>
      `${state === undefined ? 'what' : named(state)} is due and has not taken effect (${why}): the clock is ${clock}`,
  };
}
