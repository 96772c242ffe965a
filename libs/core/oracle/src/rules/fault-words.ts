// Describes the faults of an entry, in its kind's words for lives and their ends.
import type { Millis } from '@flatline/base';

/** A life that is due at an instant, and the facts known behind a commit. */
export interface DueLife<State> {
  readonly state: State;
  readonly dueAt: Millis;
  readonly clock: Millis;
}

export interface FaultWords<State> {
  /** The changelog has a life that the input does not give. `returns`: one that had ended before. */
  surplus(found: State, returns: boolean): string;
  /** The changelog lacks a life. */
  lacking(state: State, position: number): string;
  /** The changelog shows a state that comes later. */
  early(life: DueLife<State>, position: number): string;
  /** A due instant is not shown in the changelog. `state`: undefined: none. `why`: its effect. */
  overdue(life: DueLife<State | undefined>, why: string): string;
}

/** `named`: describes a life: `the lease with token 3`. */
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
