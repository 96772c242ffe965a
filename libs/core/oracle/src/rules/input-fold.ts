// The input of one partition, record by record, as far as it is the same for every kind (C1, C6, I1, I2, I7): the clock, what is
// no record of a key, and room. As simply as the rules are written.
//
// Owns: the clock, which records were bad.
// Does not own: what a record of a key does (the fold of each kind).
//
// Invariants
//   IF1  Shares no code with the core.
import type { Millis } from '@flatline/base';
import { nameOf } from '../logs/byte-names.ts';
import type { CommonRules, InputRecord } from '../logs/history.ts';
import { HeldGaps } from './held-gaps.ts';

/** docs/SPEC.md, I7. */
const ENTRIES_MAX = 33_000_000;
const KEY_BYTES_MAX = 1_879_048_192;
const PAGE_BYTES_MAX = 3_221_225_472;
/** An entry beside its key and its state. */
const ENTRY_BYTES = 128;
/** A byte of a record becomes no more bytes of a state than these, but for what comes on top. */
const STATE_PER_BYTE = 4;
export const STATE_ON_TOP = 1_024;

/** Counts of what happened on the way. */
export interface FoldCounts {
  /** Lives of keys that began. */
  opened: number;
  /** Events counted as duplicates, keyed records that were refused, clock records. */
  duplicates: number;
  badRecords: number;
  clockRecords: number;
  /** Records of the other timestamp type, from before the input had its own (C6). */
  formerTypeRecords: number;
}

/** A record with a key, whatever its content. */
export interface Keyed {
  readonly name: string;
  readonly key: Uint8Array;
  readonly record: InputRecord;
  /** docs/SPEC.md, Terms. */
  readonly effectiveAt: Millis;
  /** True if there is no room for an entry that it would open (I7). */
  readonly isFull: () => boolean;
  /**
   * True if the processor says that there was no room, and there may have been none for a state (I7). It is believed only for a
   * record that needs some. undefined: it is reckoned here.
   */
  readonly saysStateFull: boolean | undefined;
}

/** Entries, and bytes of their keys, each rounded up to four (I7). */
export interface Weight {
  readonly entries: number;
  readonly keyBytes: number;
}

/** What a kind's states weigh (I7). */
export interface Weighing {
  /** True if the fold knows what states take; otherwise the processor is believed, within reason. */
  readonly weighsExactly?: boolean;
  /** Upper bound on the bytes that a record adds to a state beyond those it brought. */
  readonly addsAtMost?: number;
}

export abstract class InputFold {
  clock: Millis = 0;
  /** Offset of the last record that was bad. */
  lastBad = -1;
  /** Due instants that the clock has brought about. */
  dues = 0;
  readonly weighsExactly: boolean;
  protected readonly rules: CommonRules;
  protected readonly counts: FoldCounts;
  protected readonly held: HeldGaps;
  readonly #addsAtMost: number;
  #clockAtLeast: Millis = 0;
  #touched = new Set<string>();
  #bad: number[] = [];

  constructor(rules: CommonRules, counts: FoldCounts, { weighsExactly = false, addsAtMost = 0 }: Weighing) {
    this.rules = rules;
    this.counts = counts;
    this.held = new HeldGaps(rules);
    this.weighsExactly = weighsExactly;
    this.#addsAtMost = addsAtMost;
  }

  /** The clock has moved, or not: what is due takes effect. */
  protected abstract moved(): void;
  protected abstract keyed(keyed: Keyed): void;
  /** Weight of what lives: what was due has ceased to. */
  protected abstract living(): Weight;
  /** Upper bound on the state bytes of what lives, and of what has ceased to since the last commit. */
  protected abstract statesAtMost(): number;
  /** Weight of what has ceased to live since the last commit, as far as the clock let it go. */
  protected abstract letGo(): Weight;

  /** The clock if stamps beyond what their commit states moved nothing: only the present at that time told how far they did (C6). */
  protected get clockAtLeast(): Millis {
    return this.#clockAtLeast;
  }

  /** Keys that had a record since the last call. */
  takeTouched(): Set<string> {
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  /** Has the key compared with the next commit. */
  touch(name: string): void {
    this.#touched.add(name);
  }

  /** Offsets of records that were refused since the last call, in order. */
  takeBad(): number[] {
    const bad = this.#bad;
    this.#bad = [];
    return bad;
  }

  /** Notes a record that changes nothing (I1). */
  refuse({ offset }: InputRecord): void {
    this.counts.badRecords += 1;
    this.#bad.push(offset);
    this.lastBad = offset;
  }

  /** C1 */
  advance(timestamp: Millis): void {
    this.#advance(timestamp);
    this.#clockAtLeast = this.clock;
  }

  /** Behind its last record the clock is what a commit states. */
  endCommit(): void {
    this.#clockAtLeast = this.clock;
  }

  /** True if it is of the other timestamp type and precedes the first record that moved the clock: history (C6). */
  isFormer(record: InputRecord): boolean {
    return this.clock === 0 && this.isOtherType(record);
  }

  isOtherType({ logAppendTime }: InputRecord): boolean {
    return logAppendTime !== (this.rules.timestampType === 'LogAppendTime');
  }

  /**
   * `isSaidFull`: whether the processor says that there was no room for it (I7); undefined: it is reckoned.
   * `knowsClock`: whether the clock here is the one that the processor had.
   * `latest`: on CreateTime the clock that the commit of this record states, beyond which no stamp has moved it (C6).
   */
  record(
    record: InputRecord,
    latest: Millis = Infinity,
    isSaidFull?: boolean,
    knowsClock = record.logAppendTime || isSaidFull === undefined,
  ): void {
    if (this.isFormer(record)) {
      this.counts.formerTypeRecords += 1;
      return;
    }
    // Stamps below 0 are bad input and move nothing (C6).
    if (record.timestamp < 0) this.refuse(record);
    else this.#timed(record, latest, isSaidFull === true, knowsClock);
  }

  #timed(record: InputRecord, latest: Millis, isSaidFull: boolean, knowsClock: boolean): void {
    const { key, value, timestamp, logAppendTime } = record;
    this.#advance(Math.min(timestamp, latest));
    if (timestamp <= latest) this.#clockAtLeast = Math.max(this.#clockAtLeast, timestamp);
    if (record.lastOffset !== undefined) this.refuse(record);
    else if (key === null) {
      const isClockRecord = record.hasClockHeader && (value === null || value.length === 0);
      if (isClockRecord) this.counts.clockRecords += 1;
      else this.refuse(record);
    } else if (key.length > this.rules.maxKeyBytes) this.refuse(record);
    else {
      const name = nameOf(key);
      this.#touched.add(name);
      // Where producers stamp, the present bounds the clock and only the processor knew it (C6): it is believed, within reason.
      const isFull = (): boolean => (knowsClock ? this.#isFullFor(name) : isSaidFull && this.#mayBeFullFor(name));
      const mayBeFull = (): boolean => this.#mayStateBeFull(atMost(record, name));
      const saysStateFull = knowsClock && this.weighsExactly ? undefined : isSaidFull && mayBeFull();
      const effectiveAt = logAppendTime ? this.clock : timestamp;
      this.keyed({ name, key, record, effectiveAt, isFull, saysStateFull });
    }
  }

  #advance(timestamp: Millis): void {
    const before = this.clock;
    // Where nothing lives there is nothing to be heard of (C8).
    const isHeld = this.held.hasUnheard(before, timestamp) && this.living().entries > 0;
    this.clock = Math.max(before, timestamp);
    if (isHeld) this.held.passed(before, this.clock);
    this.moved();
  }

  /** I7: what is due at the clock takes no room. */
  #isFullFor(name: string): boolean {
    return this.#exceeds(name, this.living());
  }

  /** True if any clock could make it full: an earlier one leaves alive what has closed here since the last commit, and no more. */
  #mayBeFullFor(name: string): boolean {
    const [most, gone] = [this.living(), this.letGo()];
    return this.#exceeds(name, { entries: most.entries + gone.entries, keyBytes: most.keyBytes + gone.keyBytes });
  }

  /** True if what lives, whatever the clock was, and what the record would add could fill it. */
  #mayStateBeFull(added: number): boolean {
    const { pageBytesMax = PAGE_BYTES_MAX, stateBytesMax = Infinity } = this.rules;
    const [{ entries, keyBytes }, gone] = [this.living(), this.letGo()];
    const besides = ENTRY_BYTES * (entries + gone.entries) + keyBytes + gone.keyBytes;
    return besides + this.statesAtMost() + added + this.#addsAtMost > Math.min(pageBytesMax, stateBytesMax);
  }

  /** I7, where what states take is known: whether there is room for so much more, with all states at so many bytes. */
  protected hasRoomFor(added: Weight, stateBytes: number): boolean {
    const { pageBytesMax = PAGE_BYTES_MAX, stateBytesMax = Infinity } = this.rules;
    const { entries, keyBytes } = this.living();
    const besides = ENTRY_BYTES * (entries + added.entries) + keyBytes + added.keyBytes;
    return besides + stateBytes <= stateBytesMax && stateBytes <= pageBytesMax;
  }

  #exceeds(name: string, { entries, keyBytes }: Weight): boolean {
    const { entriesMax = ENTRIES_MAX, keyBytesMax = KEY_BYTES_MAX } = this.rules;
    return entries >= entriesMax || keyBytes + weightOf(name) > keyBytesMax;
  }
}

/** A name has a character for each byte of its key. An empty key weighs four, too. */
export function weightOf(name: string): number {
  return Math.max(4, 4 * Math.ceil(name.length / 4));
}

/** Returns an upper bound on what a record adds to entries, keys and states. */
function atMost({ value, headers = [] }: InputRecord, name: string): number {
  const inHeaders = headers.reduce((sum, header) => sum + header.name.length + (header.value?.length ?? 0) + 1, 0);
  return ENTRY_BYTES + weightOf(name) + stateAtMost((value?.length ?? 0) + inHeaders);
}

/** Upper bound on the state that so many bytes of a record become. */
export function stateAtMost(bytes: number): number {
  return STATE_ON_TOP + STATE_PER_BYTE * bytes;
}

/** In place of a value, where there is to be one. */
const SOME_BYTES = new Uint8Array(1);

/** The record as one whose content cannot be applied. Without a key there is no content to fail at. */
export function asRefused(record: InputRecord): InputRecord {
  return record.key === null ? record : { ...record, value: SOME_BYTES, event: 'bad', isRefused: true };
}
