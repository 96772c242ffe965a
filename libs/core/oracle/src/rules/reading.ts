// A kind, read a second time: what the judges ask of it, whatever it is. They name none; `judge/kinds.ts` has them all.
import type { Millis } from '@flatline/base';
import type { HeadTouch, LoggedImage } from '../logs/changelog-fold.ts';
import type { OutputRecord } from '../logs/history.ts';
import type { InputFold } from './input-fold.ts';

/** How a life of a key ended (Reach). */
export type Ending = 'timeouts' | 'ends' | 'maxDurations';

/** A record with a value that the output has to have. */
export interface ExpectedRecord {
  /** The key, as a name for maps, and human-readable. */
  readonly name: string;
  readonly text: string;
  /** Tells it from all others of its key, for good. */
  readonly id: string;
  /** How it came about, human-readable. */
  readonly why: string;
  /** The due instant, where time brought it about (V9). */
  readonly dueAt: Millis | undefined;
  /** Set where it is what is said last of a life. */
  readonly ending: Ending | undefined;
  /** Returns how the record differs from this one; undefined: not at all. */
  readonly compare: (record: OutputRecord) => EntryFault | undefined;
}

/** A rule that is broken, and how. */
export interface EntryFault {
  readonly rule: string;
  readonly what: string;
}

/** A commit, for whoever compares an entry after it. */
export interface AfterCommit {
  readonly position: number;
  /** The input position of the commit before, if the commit's blocks name the key; else 0. */
  readonly namedAfter: number;
  readonly isNamed: boolean;
}

/** A state of the changelog, at which the fold has not arrived. */
export interface LaterState {
  /** True if what has come about by that id had taken effect in it. */
  readonly stands: (name: string, id: string) => boolean;
  /** True if the key lives in it. */
  readonly has: (name: string) => boolean;
}

/** Sessions, leases, … of one partition, as the input has them. */
export interface KindEntries {
  /** Told of each record that counts for its key (X3). Default: does nothing. */
  onHeard: (key: Uint8Array) => void;
  /** How many live, due or not. */
  readonly size: number;
  /** The keys of all that live. */
  names(): Iterable<string>;
  /** The input does not tell how these came about: the changelog is believed. @throws NotABlock */
  takeOver(images: ReadonlyMap<string, LoggedImage>, clock: Millis): void;
  /** The rules have changed in place: what is due and has not taken effect in the changelog goes by those of now. */
  rulesChanged(): void;
  /**
   * Compares an entry with what the changelog has of it; undefined: nothing. What the processor has let take effect since it
   * was due takes effect here, too. @throws NotABlock where an image cannot be read
   */
  compare(name: string, logged: LoggedImage | undefined, after: AfterCommit): readonly EntryFault[];
  /** Takes what has had to be said since the last call, by key in the order of the log. */
  takeExpected(): ExpectedRecord[];
  /**
   * True if what the output says by that id has come about by now, and had taken effect when the changelog had `logged` of the
   * key. @throws NotABlock where an image cannot be read
   */
  hasSaid(name: string, id: string, logged: LoggedImage | undefined): boolean;
  /** Takes it, which has taken effect with all of its key before it. `isOutOfOrder`: of those, some have not been taken. */
  takeSaid(name: string, id: string): { readonly expected: ExpectedRecord; readonly isOutOfOrder: boolean } | undefined;
  /** Upper bound on how much is held of what lives and of what has not been said. */
  readonly remembered: number;
  /** Takes what has come about and the output was not seen to say, older keys first, until at most `most` of it is left. */
  forgetUnsaid(most: number, state: LaterState): readonly ExpectedRecord[];
  /** Ids of records that a comparison has shown to be said too early; they are not said again. */
  takeEarly(): ReadonlySet<string>;
  /** Applies everything due at the clock, and says what is owed, as if commits had shown it. */
  settleAll(): void;
  /** The keys that live, and until when; Infinity: for good. */
  lives(): Iterable<{ readonly text: string; readonly dueAt: Millis }>;
  /** The keys that are due at the clock without having taken effect. */
  overdue(): readonly { readonly text: string; readonly what: string }[];
  /** True if a commit behind `position`, or a later look at what lives, may account for a record that the output has. */
  mayComeLater(name: string, id: string, record: OutputRecord, position: number): boolean;
  /** Returns why the record comes too early; undefined: it does not. */
  whyEarly(name: string, record: OutputRecord): string | undefined;
}

/** Meaning of the output's records, each by itself. */
export interface OutputWords {
  /** Returns its ExpectedRecord.id; undefined: it cannot be read. */
  idOf(record: OutputRecord): string | undefined;
  /** Returns the incarnation of which it is the last word but for a tombstone; undefined: more may come. */
  lastOf(record: OutputRecord): string | undefined;
  /** O2: how its key and headers contradict its value. */
  contradictions(record: OutputRecord): readonly string[];
  /** The input offset at which what it tells of began; NaN: it does not say. */
  beginningOf(record: OutputRecord): number;
  /** Why the fold cannot say what is right: the processor has reckoned by what the checker does not have. Default: it can. */
  readonly otherReckoning?: (record: OutputRecord) => string | undefined;
}

/** The one fold of the kinds: it is told the input, and asked for what that leads to. */
export type KindFold = InputFold & KindEntries;

export interface KindReading {
  /** Plural of what lives, human-readable: `sessions`. */
  readonly plural: string;
  readonly fold: KindFold;
  readonly words: OutputWords;
  readonly touched: HeadTouch;
  /** Where the processor reckons otherwise: whether that may concern the key, human-readable. Default: none. */
  readonly mayBeOtherwise?: (key: string) => boolean;
  /** The rules that it was made with have changed in place, from here on. Default: it looks into them each time. */
  readonly adoptRules?: () => void;
}
