// What a kind tells the fold of its entries: a machine for each key, and how to read what the logs hold of it.
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
  /** What there is, undefined: nothing. A change replaces it, and leaves what was read before as it was. */
  state: State | undefined;
  /** Infinity: never. */
  dueAt(): Millis;
  /** The first of what is due takes effect. `clock`: the first that has reached it. */
  due(clock: Millis): void;
  /** False: the record belongs to the dead letters, and has changed nothing. */
  take(record: InputRecord, when: When): boolean;
  /** Since the last call. */
  takeSaid(): readonly Said[];
  /** Lives that began since the last call. */
  takeOpened(): number;
}

/** What a machine has said, as a record of the output. */
export interface Expectation extends Pick<ExpectedRecord, 'id' | 'why' | 'ending' | 'compare'> {
  /** The instant that it states, where time brings it about. */
  readonly at: Millis | undefined;
}

export interface EntryRules<State, Said> {
  machine(key: Uint8Array, gaps: HeldGaps): Machine<State, Said>;
  /** undefined: a tombstone, which is judged by what it follows. */
  expect(said: Said, key: Uint8Array): Expectation | undefined;
  /** undefined: nothing but what is owed. @throws NotABlock */
  stateIn(image: LoggedImage): State | undefined;
  /** Whether the record may need room for state (I7). `state`: that of its key before. */
  needsRoom(record: InputRecord, state: State | undefined): boolean;
  /** Whether a record that opens an entry and ends it has needed room for it (I7). Default: it has not. */
  passesThrough?(record: InputRecord): boolean;
  /** What a state takes in memory, at most (I7). */
  stateAtMost(state: State): number;
  /** What a record may add to that beyond what it brought. Default: nothing. */
  readonly addsAtMost?: number;
  /** The id of the first record that the key still owes of what took effect; undefined: all is said. */
  owedFrom?(image: LoggedImage): string | undefined;
  /** The names of what differs, with both values. */
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
