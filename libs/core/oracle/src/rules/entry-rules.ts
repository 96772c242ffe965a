// Rules of a kind for the fold of its entries: a machine for each key, and how to read what the logs hold of it.
import type { Millis } from '@flatline/base';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import type { InputRecord, OutputRecord } from '../logs/history.ts';
import type { HeldGaps } from './held-gaps.ts';
import type { ExpectedRecord } from './reading.ts';

/** Where and when a record lies. */
export interface When {
  readonly clock: Millis;
  readonly effectiveAt: Millis;
  readonly offset: number;
}

/** The rules for one key. */
export interface Machine<State, Said> {
  /** State of the key; undefined: none. A change replaces it, and leaves what was read before as it was. */
  state: State | undefined;
  /** Returns the next due instant; Infinity: never. */
  dueAt(): Millis;
  /** Applies the first of what is due. `clock`: the first that has reached it. */
  due(clock: Millis): void;
  /** False: the record belongs to the dead letters, and has changed nothing. */
  take(record: InputRecord, when: When): boolean;
  /** Since the last call. */
  takeSaid(): readonly Said[];
  /** Lives that began since the last call. */
  takeOpened(): number;
}

/** Output record for something that a machine has said. */
export interface Expectation extends Pick<ExpectedRecord, 'id' | 'why' | 'ending' | 'compare'> {
  /** The instant that it states, if time brings it about. */
  readonly at: Millis | undefined;
}

export interface EntryRules<State, Said> {
  machine(key: Uint8Array, gaps: HeldGaps): Machine<State, Said>;
  /** undefined: a tombstone, which is judged by what it follows. */
  expect(said: Said, key: Uint8Array): Expectation | undefined;
  /** undefined: nothing but what is owed. @throws NotABlock */
  stateIn(image: LoggedImage): State | undefined;
  /** True if the record may need room for state (I7). `state`: that of its key before. */
  needsRoom(record: InputRecord, state: State | undefined): boolean;
  /** True if a record that opens an entry and ends it has needed room for it (I7). Default: it has not. */
  passesThrough?(record: InputRecord): boolean;
  /** Returns an upper bound on the bytes of a state in memory (I7). */
  stateAtMost(state: State): number;
  /** Upper bound on the bytes that a record adds to that beyond those it brought. Default: 0. */
  readonly addsAtMost?: number;
  /** Returns the id of the first record that the key still owes of what took effect; undefined: all is said. */
  owedFrom?(image: LoggedImage): string | undefined;
  /** Returns the names of the fields that differ, with both values. */
  differences(found: State, expected: State): readonly string[];
  /** Human-readable: `the lease 3-42`. */
  named(state: State): string;
  /** Input offset at which the newest part of it began. */
  beginningOf(state: State): number;
  /** When what the record tells came about; undefined: it does not say, or tells of the future. */
  readonly instantOf: (record: OutputRecord) => Millis | undefined;
  /** The greatest input offset that it names; NaN: none. */
  readonly latestOffsetOf: (record: OutputRecord) => number;
}
