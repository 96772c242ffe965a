// The live entries of one partition: a slot per key, found by key bytes.
//
// Owns: slots, keys, the index, rows, states.
// Does not own: deadlines (wheel), what an event does (kinds), which entries are dirty or where their bases lie (Changelog;
// it uses the fields kept for it here).
//
// Invariants
//   ET1  A live slot's key is in the index exactly once.
//   ET2  A freed slot is not handed out again before `recycle()`: a commit in flight may still name it.
//
// Checked
//   inspect   ET1, ET2
import { assert, hashView, MalformedBytes } from '@flatline/base';
import {
  type EntryFormat,
  type EntryMemory,
  type EntryWindow,
  HAS_ROW,
  IN_FLIGHT,
  LINE_I32_SHIFT,
  LIVE,
} from '@flatline/kinds';
import {
  BASE_BLOCK,
  BASE_BYTES,
  HASH_START,
  Heads,
  KEY_LENGTH_AND_FLAGS,
  KEY_REFERENCE,
  WRITTEN_DIGEST,
} from './entry-layout.ts';
import { EntryRows } from './entry-rows.ts';
import { KEY_MEMORY_BYTES, KeyArena, keyBytes, startOf } from './key-arena.ts';
import { KeyIndex, type KeySource, SLOTS_MAX } from './key-index.ts';
import { KeyView } from './key-view.ts';
import { LookAhead } from './look-ahead.ts';
import { PageBytes } from './page-bytes.ts';
import { StatePages } from './state-pages.ts';
import { tableFaults } from './table-inspection.ts';
import type { KeySpans, RecordSink } from '@flatline/ports';
import { SlotSet } from './slot-set.ts';

export class EntryTable<Entry extends EntryWindow = EntryWindow> implements KeySource {
  readonly #entries = new Heads();
  readonly #keys: KeyArena;
  readonly #index = new KeyIndex(this);
  /** Format of its entries. */
  readonly format: EntryFormat<Entry>;
  /** Seed of the hashes of keys. */
  readonly hashSeed: number;
  readonly #lookedFor = new KeyView();
  readonly #ahead: LookAhead;
  readonly #rows = new EntryRows();
  /** Entries of which more has changed than a touch and the bytes of pages say. */
  readonly reshaped = new SlotSet();
  readonly states = new StatePages(this.reshaped);
  readonly #memory: EntryMemory;
  /** Slots free for use, and slots freed since the last `recycle()`. */
  readonly #free: number[] = [];
  readonly #freed: number[] = [];
  /** Slots that restoring has left without an entry, and the one that is looked at next. */
  readonly #vacant = new SlotSet();
  #nextVacant = 0;
  #slots = 0;
  #keyBytes = 0;

  /** `hashSeed`: drawn at start, so that colliding keys cannot be prepared (I3). */
  constructor(hashSeed: number, format: EntryFormat<Entry>, keyMemoryBytes: number = KEY_MEMORY_BYTES) {
    this.hashSeed = hashSeed;
    this.format = format;
    const heads = this.#entries;
    const keys = new KeyArena(keyMemoryBytes);
    const rows = this.#rows;
    const { states } = this;
    this.#keys = keys;
    this.#memory = { heads, keys, rows, states, stateWindow: () => new PageBytes(states) };
    this.#ahead = new LookAhead(this.#index, heads, keys, rows);
  }

  /** Number of live entries. */
  get size(): number {
    return this.#index.size;
  }

  /** Bytes of the live keys, each rounded up to four. */
  get keyBytes(): number {
    return this.#keyBytes;
  }

  /** Slots ever handed out: every live slot is below. */
  get slotsEnd(): number {
    return this.#slots;
  }

  /** Makes room in an empty table for so many keys, which then come sooner. */
  reserve(keys: number): void {
    this.#entries.reserve(keys);
    this.#index.reserve(keys);
  }

  /** A view to be moved over entries with `at(slot)`; one per reader, since moving it is its state. */
  view(): Entry {
    return this.format.window(this.#memory);
  }

  /** Brings what finding each key of the group will touch into the processor's cache, all at once. Changes nothing else. */
  lookAhead(bytes: Uint8Array, group: KeySpans): void {
    this.#ahead.look(this.#lookedFor.of(bytes), group, this.hashSeed);
  }

  /** Brings the heads, keys and rows of `count` live slots into the cache, all at once. Changes nothing else. */
  lookAtSlots(slots: Int32Array, count: number): void {
    this.#ahead.lookAtSlots(slots, count);
  }

  /** Brings the heads and rows of `count` slots into the cache, all at once, live or not. Changes nothing else. */
  lookAtHeads(slots: Int32Array, count: number): void {
    this.#ahead.lookAtHeads(slots, count);
  }

  /** Slot of the key at `index` of the group that `lookAhead` was called with last, or −1. */
  findAhead(bytes: Uint8Array, { starts, lengths }: KeySpans, index: number): number {
    const view = this.#lookedFor.of(bytes);
    const start = starts[index]!;
    const length = lengths[index]!;
    const likely = this.#ahead.slots[index]!;
    if (likely >= 0 && this.isLive(likely) && this.matches(likely, view, start, length)) return likely;
    return this.#index.find(this.#ahead.hashes[index]!, view, start, length);
  }

  /** Slot of the key, or −1. Beside the groups of `lookAhead`, which it leaves as they are. */
  find(key: Uint8Array): number {
    const view = new DataView(key.buffer, key.byteOffset, key.byteLength);
    return this.#index.find(hashView(view, 0, key.length, this.hashSeed), view, 0, key.length);
  }

  /** Says that the bytes given last will not be asked about again. */
  releaseBytes(): void {
    this.#lookedFor.release();
  }

  /** Adds that key, which is not present; a kind fills it. */
  insertAhead(bytes: Uint8Array, group: KeySpans, index: number): number {
    return this.#fill(this.#free.pop() ?? this.#takeVacant() ?? this.#newSlot(), bytes, group, index);
  }

  #fill(slot: number, bytes: Uint8Array, { starts, lengths }: KeySpans, index: number): number {
    const view = this.#lookedFor.of(bytes);
    const start = starts[index]!;
    const length = lengths[index]!;
    const hash = this.#ahead.hashes[index]!;
    if (!this.#keys.hasRoomFor(length)) this.#compactKeys();
    const { i32 } = this.#entries;
    const base = slot << LINE_I32_SHIFT;
    this.#keyBytes += keyBytes(length);
    i32[base + KEY_REFERENCE] = this.#keys.store(view, start, length);
    i32[base + KEY_LENGTH_AND_FLAGS] = length | LIVE | (hash & HASH_START);
    i32[base + BASE_BLOCK] = -1;
    i32[base + WRITTEN_DIGEST] = 0;
    i32[base + BASE_BYTES] = 0;
    this.#index.insert(hash, slot);
    return slot;
  }

  /**
   * Adds that key, which is not present, in that slot, whose restored entry it is. A kind fills it.
   * @throws MalformedBytes where there can be no such slot
   */
  insertAt(slot: number, bytes: Uint8Array, group: KeySpans, index: number): number {
    if (slot >= SLOTS_MAX) throw new MalformedBytes(`slot ${slot} of ${SLOTS_MAX}`);
    if (slot >= this.#slots) {
      this.#slots = slot + 1;
      this.#entries.reserve(this.#slots);
    }
    assert(!this.isLive(slot), 'a slot is of one entry', { slot });
    return this.#fill(slot, bytes, group, index);
  }

  /** Says that restoring has ended and left a slot free. */
  noteVacant(slot: number): void {
    this.#vacant.add(slot);
  }

  remove(slot: number): void {
    this.vacate(slot);
    this.#freed.push(slot);
  }

  /** For restoring: who wrote the log knows when the slot is used again. */
  vacate(slot: number): void {
    this.#index.remove(this.hashOf(slot), slot);
    const { i32 } = this.#entries;
    const base = slot << LINE_I32_SHIFT;
    const length = i32[base + KEY_LENGTH_AND_FLAGS]! & 0xffff;
    this.#keyBytes -= keyBytes(length);
    this.#keys.release(i32[base + KEY_REFERENCE]!, length);
    if ((i32[base + KEY_LENGTH_AND_FLAGS]! & HAS_ROW) !== 0) this.#rows.release(slot);
    this.states.clear(slot);
    this.reshaped.delete(slot);
    i32[base + KEY_LENGTH_AND_FLAGS] = 0;
  }

  /** Makes freed slots available again: no commit in flight names them any more. */
  recycle(): void {
    for (const slot of this.#freed) this.#free.push(slot);
    this.#freed.length = 0;
  }

  isLive(slot: number): boolean {
    return (this.#entries.i32[(slot << LINE_I32_SHIFT) + KEY_LENGTH_AND_FLAGS]! & LIVE) !== 0;
  }

  /**
   * The ledger ordinal of the block that holds the committed base, −1 where there is none, or no entry, for each of
   * `count` slots from `first` on. Nothing else is done between two of them, so that the waits for memory overlap.
   */
  baseBlocksOf(slots: Int32Array, first: number, count: number, into: Int32Array): void {
    const { i32 } = this.#entries;
    for (let i = 0; i < count; i += 1) {
      const base = slots[first + i]! << LINE_I32_SHIFT;
      into[i] = (i32[base + KEY_LENGTH_AND_FLAGS]! & LIVE) === 0 ? -1 : i32[base + BASE_BLOCK]!;
    }
  }

  /**
   * The first slot from `first` on, below `end`, whose base is committed in a block below `ordinal`, with nothing in flight;
   * `end` where there is none. Apart from what is done with it: the loop reads memory as fast as it comes.
   */
  nextOlder(first: number, end: number, ordinal: number): number {
    const { i32 } = this.#entries;
    for (let slot = first; slot < end; slot += 1) {
      const base = slot << LINE_I32_SHIFT;
      const block = i32[base + BASE_BLOCK]!;
      if (block >= ordinal || block < 0) continue;
      if ((i32[base + KEY_LENGTH_AND_FLAGS]! & (LIVE | IN_FLIGHT)) === LIVE) return slot;
    }
    return end;
  }

  /** A copy of the key, since the entry may go while the copy is on its way to an output. */
  keyOf(slot: number): Uint8Array {
    const { i32 } = this.#entries;
    const base = slot << LINE_I32_SHIFT;
    const reference = i32[base + KEY_REFERENCE]!;
    const start = startOf(reference);
    return this.#keys.bytes.slice(start, start + (i32[base + KEY_LENGTH_AND_FLAGS]! & 0xffff));
  }

  keyLengthOf(slot: number): number {
    return this.#entries.i32[(slot << LINE_I32_SHIFT) + KEY_LENGTH_AND_FLAGS]! & 0xffff;
  }

  /** Writes the key to a record, without a copy between. */
  sayKey(slot: number, sink: RecordSink): void {
    const reference = this.#entries.i32[(slot << LINE_I32_SHIFT) + KEY_REFERENCE]!;
    sink.part(this.#keys.bytes, startOf(reference), this.keyLengthOf(slot));
  }

  matches(slot: number, view: DataView, start: number, length: number): boolean {
    const { i32 } = this.#entries;
    const base = slot << LINE_I32_SHIFT;
    if ((i32[base + KEY_LENGTH_AND_FLAGS]! & 0xffff) !== length) return false;
    const reference = i32[base + KEY_REFERENCE]!;
    const own = this.#keys.view;
    const at = startOf(reference);
    const whole = length & ~3;
    for (let i = 0; i < whole; i += 4) if (view.getInt32(start + i) !== own.getInt32(at + i)) return false;
    for (let i = whole; i < length; i += 1) if (view.getUint8(start + i) !== own.getUint8(at + i)) return false;
    return true;
  }

  hashOf(slot: number): number {
    const { i32 } = this.#entries;
    const base = slot << LINE_I32_SHIFT;
    const reference = i32[base + KEY_REFERENCE]!;
    const length = i32[base + KEY_LENGTH_AND_FLAGS]! & 0xffff;
    return hashView(this.#keys.view, startOf(reference), length, this.hashSeed);
  }

  hashStartsOf(slots: Int32Array, count: number, into: Int32Array): void {
    const { i32 } = this.#entries;
    for (let i = 0; i < count; i += 1)
      into[i] = i32[(slots[i]! << LINE_I32_SHIFT) + KEY_LENGTH_AND_FLAGS]! & HASH_START;
  }

  /**
   * Lists violations of the invariants, its own and those of its parts, in words. `leaving`: slots whose entries have gone since
   * the last cut. O(state), changes nothing. For checks.
   */
  inspect(leaving: readonly number[]): string[] {
    const vacant = this.#vacant.from(this.#nextVacant);
    const [heads, keys, index, rows, free, freed] = [
      this.#entries,
      this.#keys,
      this.#index,
      this.#rows,
      this.#free,
      this.#freed,
    ];
    const { states, reshaped, slotsEnd, keyBytes } = this;
    const parts = { heads, keys, index, rows, states, reshaped };
    return tableFaults({ ...parts, source: this, free, freed, vacant, slotsEnd, keyBytes }, leaving);
  }

  /** Once in a long while, where keys of ever other sizes came and went: a second for ten million. */
  #compactKeys(): void {
    const before = this.#keys.empty();
    const { i32 } = this.#entries;
    for (let slot = 0; slot < this.#slots; slot += 1) {
      if (!this.isLive(slot)) continue;
      const base = slot << LINE_I32_SHIFT;
      const length = i32[base + KEY_LENGTH_AND_FLAGS]! & 0xffff;
      i32[base + KEY_REFERENCE] = this.#keys.store(before, startOf(i32[base + KEY_REFERENCE]!), length);
    }
  }

  #takeVacant(): number | undefined {
    if (this.#vacant.size === 0) return undefined;
    const slot = this.#vacant.next(this.#nextVacant);
    if (slot < 0) {
      this.#vacant.clear();
      return undefined;
    }
    this.#nextVacant = slot + 1;
    return slot;
  }

  #newSlot(): number {
    const slot = this.#slots;
    this.#slots += 1;
    this.#entries.reserve(this.#slots);
    return slot;
  }
}
