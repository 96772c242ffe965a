// The rules of a kind for the fold of its entries: a machine for each key, and how to read its state from the logs.
import type { Millis } from '@flatline/base';
import type { SaidEviction } from '../logs/evictions.ts';
import type { LoggedImage } from '../logs/changelog-fold.ts';
import type { InputRecord, OutputRecord } from '../logs/history.ts';
import type { DueLife, FaultWords } from './fault-words.ts';
import type { HeldGaps } from './held-gaps.ts';
import type { ExpectedRecord } from './reading.ts';

/** Position and time of a record. */
export interface When {
  readonly clock: Millis;
  /** The clock if stamps beyond what their commit states moved nothing: only the present at that time told how far they did (C6). */
  readonly clockAtLeast: Millis;
  readonly effectiveAt: Millis;
  readonly offset: number;
}

export interface Counted {
  /** Lives that began, less those that turned out to be one with another. */
  readonly opened: number;
  /** Events that were duplicates. */
  readonly duplicates: number;
}

/** The rules for one key. */
export interface Machine<State, Said> {
  /** State of the key; undefined: none. A change replaces it, and leaves what was read before as it was. */
  state: State | undefined;
  /** Returns the next due instant; Infinity: never. */
  dueAt(): Millis;
  /** Applies the first due instant. `clock`: the first that has reached it. */
  due(clock: Millis): void;
  /** True if the key has something of before the eviction, with the attribute (Q4). Default: it has not. */
  isConcerned?(eviction: SaidEviction): boolean;
  /** Ends that. */
  evict?(eviction: SaidEviction): void;
  /** False: the record belongs in the dead letters, and changes nothing. */
  take(record: InputRecord, when: When): boolean;
  /** Since the last call. */
  takeSaid(): readonly Said[];
  /** Since the last call. */
  takeCounted(): Counted;
}

/** The output record expected for something that a machine has said. */
export interface Expectation extends Pick<
  ExpectedRecord,
  'id' | 'why' | 'ending' | 'compare' | 'isRevisable' | 'isTombstone'
> {
  /** The instant that it states, if time brought it about. */
  readonly at: Millis | undefined;
}

export interface EntryRules<State, Said> {
  machine(key: Uint8Array, gaps: HeldGaps): Machine<State, Said>;
  /** undefined: a tombstone, which is judged with the record before it. */
  expect(said: Said, key: Uint8Array): Expectation | undefined;
  /** undefined: the image holds only owed records. @throws NotABlock */
  stateIn(image: LoggedImage): State | undefined;
  /** True if the record may need room for state (I7). `state`: of its key, before it; `clock`: the partition's, with it. */
  needsRoom(record: InputRecord, state: State | undefined, clock: Millis): boolean;
  /** True if a record that both opens and ends an entry needed room for it (I7). Default: false. */
  passesThrough?(record: InputRecord): boolean;
  /** Bytes of a state in memory (I7), beside its entry and key. */
  stateBytes(state: State): number;
  /**
   * True if `stateBytes` is exact: then the fold itself decides which record has room. Default: it is an upper bound, and the processor
   * is believed within reason. So it is where states outlive what the fold knows: of windows that owe parts (B3), of schedules that a
   * pace holds back (D2).
   */
  readonly weighsExactly?: boolean;
  /** Upper bound on the state bytes that a record adds beyond its own bytes. Default: 0. */
  readonly addsAtMost?: number;
  /** Bytes by which each state may grow without a record of its key (S9). Default: 0. */
  readonly growthAtMost?: number;
  /** Returns the id of the first record still owed for the key, of those that took effect; undefined: none is. */
  owedFrom?(image: LoggedImage): string | undefined;
  /** Returns the names of the fields that differ, with both values. */
  differences(found: State, expected: State): readonly string[];
  readonly faults: FaultWords<State>;
  /**
   * True if a state is one life, which ends as a whole: only a block that names the key ends it, and only the records that it took count
   * for the key (X3). Default: it has parts, and each record counts.
   */
  readonly isOneLife?: boolean;
  /** False: the key has no life yet, and the state waits for one. Default: each state is one. */
  isBegun?(state: State): boolean;
  /** True if an operator may end what has an attribute (Q4). Default: none may. */
  readonly isEvictable?: boolean;
  /** Input offset at which the newest part of it began. */
  beginningOf(state: State): number;
  /** Instant of the record's event; undefined: it does not say, or its event is in the future. */
  readonly instantOf: (record: OutputRecord) => Millis | undefined;
  /** Greatest input offset that the record names; NaN: none. */
  readonly latestOffsetOf: (record: OutputRecord) => number;
  /** Returns why the record comes too early for a life of its key; undefined: it does not. Default: by its instant. */
  whyEarly?(record: OutputRecord, life: DueLife<State>): string | undefined;
}
