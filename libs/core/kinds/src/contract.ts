// Contract between the engine and a kind of entry.
//
// A key has at most one live entry, and an entry one due instant. The engine knows keys, timers, commits and restoring; a kind
// knows what an entry means, when it is due and what is said then. A kind is pure: it is given every time it needs, acts through
// `Effects`, and keeps nothing of its own from one call to the next.
//
// Both sides look at one entry at a time, through one window that the engine moves: a second window on the same entry would
// cost each heartbeat as much as what it changes.
import type { ByteWriter, Millis } from '@flatline/base';
import type { DeadLetterReason, GroupHeaders, KeyGroup, RecordSink, UntimedRecord } from '@flatline/ports';
import type { Eviction } from './acts/eviction.ts';
import type { ShownEntry } from './shown-entry.ts';
import type { EntryMemory, EntryWindow } from './entry-window.ts';
import type { Reckoning } from './held-time.ts';

/** Records of one look-ahead group, with one timestamp and sound keys, that a kind is shown together. */
export interface GroupRecords {
  readonly bytes: Uint8Array;
  readonly group: KeyGroup;
  /** By index in the group; from the one being taken on. */
  readonly headers: GroupHeaders;
  /** The record of the group that is taken next; the kind moves it past each that it has taken, up to `end`. */
  index: number;
  /** Comes nearer, behind the record being taken, where what it brought about fills a commit (O6). */
  readonly end: number;
  /** The input it is of, counted from 0. */
  readonly input: number;
  /** A record's place (`input-place.ts`), which on the first input is its offset, is this and its delta in the group. */
  readonly baseOffset: number;
  readonly timestamp: Millis;
  /** docs/SPEC.md, Terms. */
  readonly effectiveAt: Millis;
}

/** Why a record is not taken; it has changed nothing. */
export type Refusal =
  /** I1: to the dead letters with this reason, and a detail an operator can read. */
  | { readonly kind: 'bad'; readonly reason: DeadLetterReason; readonly detail: string }
  /** The writer schema is not known yet: `PipelineKind.prepare` fetches it, and the record is taken again. */
  | { readonly kind: 'unknownSchema'; readonly schemaId: number }
  /** There is no room for it (I7), by `Effects.open` or `Effects.hasRoom`. */
  | { readonly kind: 'noRoom' }
  /** The entry owes records that come first: the record is taken again once more of them are said. */
  | { readonly kind: 'owing' }
  /** All that is due comes first: the record is taken again then. */
  | { readonly kind: 'due' };

/** Reason of a dead letter that concerns this program, not the record: it could not be processed (I6). */
export const PROCESSING_FAILED = 'processing-failed';

/** A record that a kind has to say. */
export interface KindOutput extends UntimedRecord {
  /** Where it goes; left out: to the pipeline's output. */
  readonly topic?: string;
  /** Partition of that topic, of what an output has brought about (P3); left out: the task's own. */
  readonly partition?: number;
}

/**
 * Operations that the engine offers a kind. All but `find` and `open` concern the entry in the window. A kind's last call for an
 * entry is `changed` or `end`: before it opens another, and before its own call ends. A record at which it is neither is not
 * processed (LE3).
 */
export interface Effects {
  /** The partition clock. */
  readonly clock: Millis;
  /**
   * The latest instant that may take effect now, beside the one that does: the clock, or before it where an eviction has to come
   * next, or an instant has to be passed (Kept).
   */
  readonly dueThrough: Millis;
  /** Broker time as far as this machine knows it: only ever written down. */
  readonly wall: Millis;
  /** Moves the window to the live entry with the key of the shown record at `index`; what was due for it has taken effect (S3). */
  find(index: number): boolean;
  /**
   * Moves the window to a new entry for that key, which had none; false: there is no room for it, with so many bytes of state
   * (default: 0). The kind fills it at once.
   */
  open(index: number, stateBytes?: number): boolean;
  /** True if states may grow by so many bytes (I7). Asked before a record that needs them changes anything. */
  hasRoom(stateBytes: number): boolean;
  /** The entry is filled and its due instant stands: from now on its timer waits for it. Comes before `changed`. */
  opened(): void;
  /**
   * All that has changed of the head fits a touch (`EntryFormat.encodeTouch`); changes of its state are found without being told.
   */
  changed(): void;
  /** More of the head has changed than a touch holds. Comes before `changed`. */
  reshaped(): void;
  /** The state is longer or shorter. Comes before `changed`, and may fill the commit. */
  resized(): void;
  /**
   * The due instant has come nearer, or the entry has come to go first, or no more. Later instants need not be told: the timer
   * finds them when it fires.
   */
  dueSooner(): void;
  /** Something of the entry has ended as of `at`, and the entry goes on, or ends by `end`. Comes before that, or `changed`. */
  closed(at: Millis): void;
  /** Ends the entry as of `at`. The window is on nothing afterwards. */
  end(at: Millis): void;
  /**
   * Has the changelog forget the past (E1), whatever the window is on: once all that lives is written again behind the next commit,
   * the log below is truncated. May be called as a record's only effect.
   */
  purge(): void;
  /** A copy of the entry's key. */
  key(): Uint8Array;
  /** A record, encoded by now, and copied by this; it goes out with the commit of what brought it about (O1). */
  emit(record: KindOutput): void;
  /**
   * As `emit`, of a record that has the entry's key and is written where it goes out from: value, number of headers, and each of them
   * follow, then `recorded`. They have so many bytes, at most. `topic`: as of `KindOutput`.
   */
  record(bytes: number, headers: number, topic?: string): RecordSink;
  /** The record is whole. Nothing else comes between the two. */
  recorded(): void;
  /** As `emit`, of records that take long to encode: made one after the other, in slices, once the commit is cut. */
  emitLater(records: LaterRecords): void;
  /** The entry owes records (`Kind.owing`), which go out a commit's share at a time. Comes before `changed`. */
  owes(): void;
}

/** Records for the output that are decided and not yet encoded. They hold copies: what they are made of may be gone by then. */
export interface LaterRecords {
  /** Upper bound on their bytes, counted until they are encoded. */
  readonly bytes: number;
  /** True once all are encoded. */
  readonly isOver: boolean;
  /** Does some more of the work. Returns the next record if it is complete. @throws what cannot be encoded. */
  next(): KindOutput | undefined;
}

/** Records that are decided and more than one commit should hold: their entry lives until all of them are said. */
export interface OwedRecords extends LaterRecords {
  /** How far they are said: enough to go on after a restart. */
  readonly progress: number;
}

/** Debts of a kind's entries. All of it concerns the entry in the window. */
export interface Owing {
  /** True if the entry owes anything. Looks at its head alone. */
  isOwing(): boolean;
  /** Returns the records still owed. */
  records(effects: Effects): OwedRecords;
  /** The next commit holds more of it: up to `progress`, or all. In the latter case the entry ends, or goes on without. */
  said(progress: number, isOver: boolean, effects: Effects): void;
}

/**
 * A kind's state of a partition beside its entries, told at instants of the clock. Each commit carries it, whole. Before
 * an instant is passed nothing takes effect that is due at it or later, and nothing is taken that comes behind it.
 */
export interface Kept {
  /** The first instant that may have to be passed. Read for each group of records. */
  readonly passesAt: Millis;
  /** When something is to be said if nothing happens until then: the clock has to get there. Infinity: nothing is. */
  readonly dueAt: Millis;
  /**
   * The next instant to be passed, `passesAt` or later, where nothing is due before `earliestDue`; undefined: there is none up to
   * the clock.
   */
  next(clock: Millis, earliestDue: Millis): Millis | undefined;
  /** All that is due before `at` has taken effect. */
  pass(at: Millis, effects: Effects): void;
  /** Begins with what the last commit carries, if any, at its clock and the position of each input. @throws MalformedBytes */
  begin(bytes: Uint8Array | undefined, clock: Millis, positions: readonly number[]): void;
  /** The entry in the window is one of those that live then. */
  restored(): void;
  /** For the next commit, which is cut now. */
  bytes(): KeptBytes;
  /** The commit cut last is in the log. */
  committed(): void;
  /** Returns its last committed words, for operators: plain data. Empty after a start. */
  shown(): readonly ShownEntry[];
}

/** A kind's state beside its entries, as a commit carries it. */
export interface KeptBytes {
  readonly bytes: Uint8Array;
  /** The least version of the changelog's format that has it (K9). */
  readonly leastVersion: number;
}

/** Where an operator may end entries by what they say of themselves (Q4). All of it concerns the entry in the window. */
export interface Evicting {
  /** True if it was as it is when the eviction's record came, and that has the attribute. Changes nothing. */
  concerns(eviction: Eviction): boolean;
  /** Ends what it concerns, as of its clock: then it concerns the entry, if that goes on, no more. */
  evict(eviction: Eviction, effects: Effects): void;
}

/** A kind at work in one partition. */
export interface Kind {
  /** When the entry in the window is due. Looks at its head alone. */
  dueAt(): Millis;
  /** Takes records from `records.index` on. Stops at the first that it refuses, and says why. */
  take(records: GroupRecords, effects: Effects): Refusal | undefined;
  /** The entry in the window is due at `at`: ends it, or gives it a later due instant. @throws what cannot be encoded. */
  due(at: Millis, effects: Effects): void;
  /**
   * True if the entry in the window takes effect before the record that moved the clock to its due instant is taken:
   * `Effects.clock` in `due` is then the first that has reached the instant, and what is said of lateness a function of the log
   * (C5). Reading waits for it. May change where the kind calls `opened` or `dueSooner`. Left out: none does.
   */
  goesFirst?(): boolean;
  /** Told of each restored entry, in the window, for what the kind counts of what lives. Changes nothing. */
  restored?(): void;
  /** Where its entries may have more to say than a commit should hold. */
  readonly owing?: Owing;
  readonly kept?: Kept | undefined;
  /** undefined: its entries have no attributes that could be asked for. */
  readonly evicting?: Evicting | undefined;
}

/** Header fields of the commit that a touch is part of. */
export interface TouchBase {
  readonly clock: Millis;
  /** Everything below is applied. */
  readonly position: number;
}

/**
 * How a kind's entries lie in memory, and their heads in the changelog and in the local store: a head is all of an entry but its
 * key and its state, whose bytes are written as they are.
 */
export interface EntryFormat<Entry extends EntryWindow = EntryWindow> {
  window(memory: EntryMemory): Entry;
  /** The least version of the changelog's format that has what the entry's head and state say. Default: every one has (K9). */
  leastVersion?(entry: Entry): number;
  /** Writes the head. Returns how many of its last bytes a touch ends with, too: they are written once. */
  encode(entry: Entry, out: ByteWriter): number;
  /**
   * Makes the head of `entry`, whatever it was, what was written from `bytes[start]` on, before `end`; returns where that ended.
   * @throws MalformedBytes
   */
  decode(bytes: Uint8Array, start: number, end: number, entry: Entry): number;
  /**
   * Writes what a touch changes of the head: the values as they are now, the shorter the nearer to `base`. But for what it ends
   * with as the head does: that `encode` has written.
   */
  encodeTouch(entry: Entry, base: TouchBase, out: ByteWriter): void;
  /** Makes these of `entry` what was written to `bytes[start, end)`. @throws MalformedBytes */
  decodeTouch(bytes: Uint8Array, start: number, end: number, base: TouchBase, entry: Entry): void;
}

/** Counters of a kind, by name; they only ever grow, but for those that say what lives now. */
export type KindCounters = Record<string, number>;

/** Names of the counters that `Counters` lists: its `keyof` is any string. */
export type CounterOf<Counters extends KindCounters> = keyof {
  [Name in keyof Counters as string extends Name ? never : number extends Name ? never : Name]: true;
};

/** Parts that a kind is given when its work in a partition begins. */
export interface KindParts<Entry extends EntryWindow = EntryWindow, Counters = KindCounters> {
  readonly partition: number;
  /** Time that no deadline counts (C8). */
  readonly held: Reckoning;
  /** The window. */
  readonly entry: Entry;
  readonly counters: Counters;
  /** The version of the changelog's format that is pinned (K9). What the kind begins to say is no later one's. */
  readonly changelogFormat: number;
}

/** The state that a task begins with. */
export interface KeptEntries<Entry extends EntryWindow = EntryWindow> {
  /** Settings by which it was made, and from which commit on, as the changelog has them, the newest last: as many as it knows. */
  readonly settings: readonly { readonly sequence: number; readonly text: string }[];
  /** Moves the window from one live entry to the next. */
  readonly forEach: (look: (entry: Entry) => void) => void;
}

/** A kind as a pipeline is configured to use it. */
export interface PipelineKind<Entry extends EntryWindow = EntryWindow, Counters = KindCounters> {
  readonly format: EntryFormat<Entry>;
  /**
   * Bytes by which what is due may make an entry's state longer, at most. Where that may decide whether a record has room (I7),
   * what is due takes effect first. Default: 0, and nothing that is due needs room.
   */
  readonly dueGrowthMax?: number;
  /** Records taken between two looks at the time, where one may take long. Default: as many as a turn may have. */
  readonly pieceRecords?: number;
  /** Counters whose growth an operator should hear of, each with the message for it. */
  readonly alarms?: Readonly<Partial<Record<keyof Counters & string, string>>>;
  /** All of them, at zero. */
  counters(): Counters;
  open(parts: KindParts<Entry, Counters>): Kind;
  /**
   * Looks at what is there before a task begins. Returns why it cannot be read as the kind is configured now, in words that begin
   * with the setting; undefined: it can. Default: it always can.
   */
  whyUnreadable?(kept: KeptEntries<Entry>): string | undefined;
  /** Fetches a writer schema; afterwards the kind knows it or calls it bad. @throws Retriable where the registry does not answer. */
  prepare(schemaId: number): Promise<void>;
}
