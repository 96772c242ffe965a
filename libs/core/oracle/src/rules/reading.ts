// The second reading of a kind, as the judges use it. They name no kind; `judge/kinds.ts` lists them all.
import type { Millis } from '@flatline/base';
import type { SaidEviction } from '../logs/evictions.ts';
import type { HeadTouch, LoggedImage } from '../logs/changelog-fold.ts';
import type { OutputRecord } from '../logs/history.ts';
import type { Positions } from '../logs/places.ts';
import type { InputFold } from './input-fold.ts';
import type { NaiveStats } from './statistics/naive-stats.ts';

/** How a life of a key ended (Reach). */
export type Ending = 'timeouts' | 'ends' | 'maxDurations' | 'evictions';

/** A record that the output must have: with a value, or a tombstone that stands alone (S9). */
export interface ExpectedRecord {
  /** The key, as a name for maps; below, human-readable. */
  readonly name: string;
  readonly text: string;
  /** Unique among all records of its key, for good. */
  readonly id: string;
  /** How it came about, human-readable. */
  readonly why: string;
  /** The due instant, where time brought it about (V9). */
  readonly dueAt: Millis | undefined;
  /** Set if it is the last record of a life. */
  readonly ending: Ending | undefined;
  /** True if it is a tombstone. Default: false. */
  readonly isTombstone?: boolean;
  /** True if more may come of its life: no tombstone follows it at once (S9). Default: false. */
  readonly isRevisable?: boolean;
  /** Returns how the record differs from this one; undefined: it does not. */
  readonly compare: (record: OutputRecord) => EntryFault | undefined;
}

/** A broken rule, and how it was broken. */
export interface EntryFault {
  readonly rule: string;
  readonly what: string;
}

/** A commit, as the comparison of an entry needs it. */
export interface AfterCommit {
  readonly position: number;
  /** The positions of the commit before, if the commit's blocks name the key; else none. */
  readonly namedAfter: Positions;
  readonly isNamed: boolean;
}

/** A state of the changelog at which the fold has not arrived yet. */
export interface LaterState {
  /** True if the event with that id had taken effect in it. */
  readonly stands: (name: string, id: string) => boolean;
  /** True if the key lives in it. */
  readonly has: (name: string) => boolean;
}

/** Sessions, leases, … of one partition, as the input gives them. */
export interface KindEntries {
  /** Told of each record that counts for its key (X3). Default: does nothing. */
  onHeard: (key: Uint8Array) => void;
  /** Number of live ones, due or not. */
  readonly size: number;
  /** How many of them have begun. */
  readonly begun: number;
  /** The keys of all that live. */
  names(): Iterable<string>;
  /** Takes over entries whose beginnings the input no longer has, and evictions under way: the changelog is believed. @throws NotABlock */
  takeOver(images: ReadonlyMap<string, LoggedImage>, clock: Millis, evictions?: readonly SaidEviction[]): void;
  /** The rules have changed in place: due instants that have not taken effect in the changelog are recomputed by the new ones. */
  rulesChanged(): void;
  /**
   * Compares an entry with its image in the changelog; undefined: none. Due instants that the processor has let take effect take effect
   * here, too. @throws NotABlock where an image cannot be read
   */
  compare(name: string, logged: LoggedImage | undefined, after: AfterCommit): readonly EntryFault[];
  /** Takes the records that had to be written since the last call, by key in log order. */
  takeExpected(): ExpectedRecord[];
  /**
   * True if the event of the output record with that id has come about by now, and had taken effect when the changelog had `logged`
   * for the key. @throws NotABlock where an image cannot be read
   */
  hasSaid(name: string, id: string, logged: LoggedImage | undefined): boolean;
  /** Takes it; it and its key's earlier records have taken effect. `isOutOfOrder`: some of those have not been taken. */
  takeSaid(name: string, id: string): { readonly expected: ExpectedRecord; readonly isOutOfOrder: boolean } | undefined;
  /** Upper bound on the number of live entries and unsaid records in memory. */
  readonly remembered: number;
  /** Takes records that have come about and were not seen on the output, older keys first, until at most `most` are left. */
  forgetUnsaid(most: number, state: LaterState): readonly ExpectedRecord[];
  /** Takes the ids of records that a comparison has shown to be written too early; they are not expected again. */
  takeEarly(): ReadonlySet<string>;
  /** Applies everything due at the clock, and expects everything owed, as if commits had shown it. */
  lapseAll(): void;
  /** The keys that live, and until when; Infinity: for good. */
  lives(): Iterable<{ readonly text: string; readonly dueAt: Millis }>;
  /** The keys that are due at the clock without having taken effect. */
  overdue(): readonly { readonly text: string; readonly what: string }[];
  /** True if a commit behind `positions`, or a later look at what lives, may account for a record that the output has. */
  mayComeLater(name: string, id: string, record: OutputRecord, positions: Positions): boolean;
  /** Returns why the record comes too early; undefined: it does not. */
  whyEarly(name: string, record: OutputRecord): string | undefined;
}

/** See ROUTES. */
export interface SaidOutput {
  /** Reasons and types, and the type as of webhooks. */
  readonly names: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Reads the output's records, each by itself. */
export interface OutputWords {
  /** Returns its ExpectedRecord.id; undefined: unreadable. */
  idOf(record: OutputRecord): string | undefined;
  /** Returns the incarnation that it ends, but for a tombstone; undefined: more may come. */
  lastOf(record: OutputRecord): string | undefined;
  /** Returns the ExpectedRecord.id of a tombstone that stands alone (S9). Default: none does. */
  readonly finalOf?: (tombstone: OutputRecord) => string | undefined;
  /** True if a last word that is not known may have been one without a tombstone (S9). Default: false. */
  readonly mayBeRevisable?: () => boolean;
  /** The output as routes see it (P3): what `on` may ask for, and its fields. undefined: it is not routed. */
  saidIn(record: OutputRecord): SaidOutput | undefined;
  /** Parts of its id as a webhook hears it (N1), after the pipeline's name. Default: its place. */
  readonly sentAs?: (record: OutputRecord) => readonly unknown[];
  /** Data sent of it, where that is not its value as it lies. */
  readonly sentData?: (record: OutputRecord) => object;
  /** O2: lists how its key and headers contradict its value. */
  contradictions(record: OutputRecord): readonly string[];
  /** The place in the input at which what it tells of began; NaN: it does not say. */
  beginningOf(record: OutputRecord): number;
  /** Returns why the fold cannot tell what is right: the processor has used data that the checker lacks. Default: it always can. */
  readonly otherReckoning?: (record: OutputRecord) => string | undefined;
}

/** The fold of any kind: it takes in the input, and is asked for the results. */
export type KindFold = InputFold & KindEntries;

export interface KindReading {
  /** Plural of the kind's lives, human-readable: `sessions`. */
  readonly plural: string;
  readonly fold: KindFold;
  readonly words: OutputWords;
  readonly touched: HeadTouch;
  /** Statistics of what the fold has taken in, where the kind has any (S12). */
  readonly stats?: NaiveStats;
  /** True if another calculation by the processor may concern the key, human-readable. Default: none is known. */
  readonly mayBeOtherwise?: (key: string) => boolean;
  /** The rules that it was made with have changed in place, from here on. Default: it reads them each time. */
  readonly adoptRules?: () => void;
}
