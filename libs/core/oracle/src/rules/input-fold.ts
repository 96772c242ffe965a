// Folds the input of one partition, record by record, as far as all kinds agree (C1, C6, I1, I2, I7): the clock, records without a
// key, and room. Written as simply as the rules.
//
// Owns: the clock, which records were bad.
// Does not own: the effect of a record on its key (the fold of each kind).
//
// Invariants
//   IF1  Shares no code with the core.
import type { Millis } from '@flatline/base';
import { evictionIn, hasCommand } from '../logs/acts.ts';
import type { AskedEviction } from '../logs/evictions.ts';
import { nameOf } from '../logs/byte-names.ts';
import type { CommonRules, InputRecord } from '../logs/history.ts';
import { HeldGaps } from './held-gaps.ts';

/** docs/SPEC.md, I7. */
const ENTRIES_MAX = 33_000_000;
const KEY_BYTES_MAX = 1_879_048_192;
const PAGE_BYTES_MAX = 3_221_225_472;
/** Bytes of an entry beside its key and its state. */
const ENTRY_BYTES = 128;
/** Upper bound on state bytes per byte of a record, beside a constant. */
const STATE_PER_BYTE = 4;
export const STATE_ON_TOP = 1_024;

/** Counts of events on the way. */
export interface FoldCounts {
  /** Lives of keys that began. */
  opened: number;
  /** Duplicate events; below: keyed records that were refused, clock records. */
  duplicates: number;
  badRecords: number;
  clockRecords: number;
  /** Records of the other timestamp type, from before the input had its present one (C6). */
  formerTypeRecords: number;
}

/** A record with a key, whatever its content. */
export interface Keyed {
  readonly name: string;
  readonly key: Uint8Array;
  readonly record: InputRecord;
  /** docs/SPEC.md, Terms. */
  readonly effectiveAt: Millis;
  /** True if there is no room for an entry that the record would open (I7). */
  readonly isFull: () => boolean;
  /**
   * True if the processor says that there was no room, and there may have been none for a state (I7). It is believed only for a
   * record that needs some. undefined: computed here.
   */
  readonly saysStateFull: boolean | undefined;
}

/** Entries, and bytes of their keys, each rounded up to four (I7). */
export interface Weight {
  readonly entries: number;
  readonly keyBytes: number;
}

/** Weights of a kind's states (I7). */
export interface Weighing {
  /** True if the fold knows the sizes of states; otherwise the processor is believed, within reason. */
  readonly weighsExactly?: boolean;
  /** Upper bound on the state bytes that a record adds beyond its own bytes. */
  readonly addsAtMost?: number;
  /** Bytes by which each state may yet grow without asking; states leave room for them. Default: 0. */
  readonly growthAtMost?: number;
}

export abstract class InputFold {
  clock: Millis = 0;
  /** Offset of the last record that was bad. */
  lastBad = -1;
  /** Number of due instants that the clock has brought about. */
  dues = 0;
  readonly weighsExactly: boolean;
  protected readonly rules: CommonRules;
  protected readonly counts: FoldCounts;
  protected readonly held: HeldGaps;
  readonly #addsAtMost: number;
  readonly #growthAtMost: number;
  #clockAtLeast: Millis = 0;
  #touched = new Set<string>();
  #bad: number[] = [];

  constructor(rules: CommonRules, counts: FoldCounts, weighing: Weighing) {
    const { weighsExactly = false, addsAtMost = 0, growthAtMost = 0 } = weighing;
    this.rules = rules;
    this.counts = counts;
    this.held = new HeldGaps(rules);
    this.weighsExactly = weighsExactly;
    this.#addsAtMost = addsAtMost;
    this.#growthAtMost = growthAtMost;
  }

  /** Called whenever the clock may have moved: whatever is due takes effect. */
  protected abstract moved(): void;
  protected abstract keyed(keyed: Keyed): void;
  /** Ends what it concerns (Q4). False: entries of the kind have no attributes to be asked for. */
  protected abstract evicted(asked: AskedEviction): boolean;
  /** Weight of all that lives, without entries that were due. */
  protected abstract living(): Weight;
  /** Upper bound on the state bytes of all that lives, and of all that has ceased to live since the last commit. */
  protected abstract statesAtMost(): number;
  /** Weight of all that has ceased to live since the last commit, as far as the clock released it. */
  protected abstract letGo(): Weight;

  /** The clock if stamps beyond what their commit states moved nothing: only the present at that time told how far they did (C6). */
  protected get clockAtLeast(): Millis {
    return this.#clockAtLeast;
  }

  /** Takes the keys that had a record since the last call. */
  takeTouched(): Set<string> {
    const touched = this.#touched;
    this.#touched = new Set();
    return touched;
  }

  /** Has the key compared with the next commit. */
  touch(name: string): void {
    this.#touched.add(name);
  }

  /** Takes the offsets of records refused since the last call, in order. */
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

  /** Sets the clock behind the commit's last record to the one that the commit states. */
  endCommit(): void {
    this.#clockAtLeast = this.clock;
  }

  /** True if it is of the other timestamp type and precedes the first record that moved the clock: history (C6). */
  isFormer(record: InputRecord): boolean {
    return (record.clockBefore ?? this.clock) === 0 && this.isOtherType(record);
  }

  isOtherType(record: InputRecord): boolean {
    return record.logAppendTime !== (this.#of(record).timestampType === 'LogAppendTime');
  }

  /** The rules of its input. */
  #of({ input = 0 }: InputRecord): Pick<CommonRules, 'timestampType' | 'maxKeyBytes'> {
    return this.rules.inputs?.[input] ?? this.rules;
  }

  /**
   * `isSaidFull`: whether the processor says that there was no room for it (I7); undefined: computed here.
   * `knowsClock`: whether the clock here is the one that the processor had.
   * `latest`: on CreateTime, the clock stated by the commit of this record, beyond which no stamp has moved it (C6).
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
    if (timestamp <= latest) this.#clockAtLeast = Math.max(this.#clockAtLeast, timestamp);
    this.#advance(Math.min(timestamp, latest));
    if (record.lastOffset !== undefined) this.refuse(record);
    else if (key === null && hasCommand(record.headers, 'EVICT')) {
      const asked = evictionIn(record);
      if (asked === 'bad' || !this.evicted(asked)) this.refuse(record);
    } else if (key === null) {
      const isClockRecord = record.hasClockHeader && (value === null || value.length === 0);
      if (isClockRecord) this.counts.clockRecords += 1;
      else this.refuse(record);
    } else if (key.length > this.#of(record).maxKeyBytes) this.refuse(record);
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
    // Where nothing lives, no device goes unheard (C8).
    const isHeld = this.held.hasUnheard(before, timestamp) && this.living().entries > 0;
    this.clock = Math.max(before, timestamp);
    if (isHeld) this.held.passed(before, this.clock);
    this.moved();
  }

  /** I7: entries that are due take no room. */
  #isFullFor(name: string): boolean {
    return this.#exceeds(name, this.living());
  }

  /** True if any possible clock could make it full: an earlier one leaves alive what has closed here since the last commit, and no more. */
  #mayBeFullFor(name: string): boolean {
    const [most, gone] = [this.living(), this.letGo()];
    return this.#exceeds(name, { entries: most.entries + gone.entries, keyBytes: most.keyBytes + gone.keyBytes });
  }

  /** True if all that may live, whatever the clock was, and the record's state could fill the partition. */
  #mayStateBeFull(added: number): boolean {
    const { pageBytesMax = PAGE_BYTES_MAX, stateBytesMax = Infinity } = this.rules;
    const [{ entries, keyBytes }, gone] = [this.living(), this.letGo()];
    const besides = ENTRY_BYTES * (entries + gone.entries) + keyBytes + gone.keyBytes;
    return besides + this.statesAtMost() + added + this.#addsAtMost > Math.min(pageBytesMax, stateBytesMax);
  }

  /** I7, where the sizes of states are known: true if there is room for that weight, with all states at `stateBytes`. */
  protected hasRoomFor(added: Weight, stateBytes: number): boolean {
    const { pageBytesMax = PAGE_BYTES_MAX, stateBytesMax = Infinity } = this.rules;
    const { entries, keyBytes } = this.living();
    const besides = ENTRY_BYTES * (entries + added.entries) + keyBytes + added.keyBytes;
    const growth = this.#growthAtMost * (entries + added.entries);
    return besides + stateBytes <= stateBytesMax && stateBytes + growth <= pageBytesMax;
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

/** Upper bound on the bytes that a record adds to entries, keys and states. */
function atMost({ value, headers = [] }: InputRecord, name: string): number {
  const inHeaders = headers.reduce((sum, header) => sum + header.name.length + (header.value?.length ?? 0) + 1, 0);
  return ENTRY_BYTES + weightOf(name) + stateAtMost((value?.length ?? 0) + inHeaders);
}

/** Upper bound on the state made of that many bytes of a record. */
export function stateAtMost(bytes: number): number {
  return STATE_ON_TOP + STATE_PER_BYTE * bytes;
}

/** Stands in for a value that must not be empty. */
const SOME_BYTES = new Uint8Array(1);

/** Returns the record as one whose content cannot be applied. Without a key there is no content to fail at. */
export function asRefused(record: InputRecord): InputRecord {
  return record.key === null ? record : { ...record, value: SOME_BYTES, event: 'bad', isRefused: true };
}
