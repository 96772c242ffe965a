// How details lie in memory: a row of 64 bytes each, one cache line, taken from a pool when a session's events first need it.
//
// A detail as an object, with a window as another and boxed numbers in both, costs each event half a dozen waits for memory
// one after another, and the garbage collector a look at every session there is. Most pipelines have a detail for each
// session or for none, so the way to a row is an array by slot that is empty until the first detail comes.
//
// Owns: rows, which slot has which.      Does not own: whether a slot has a row (a flag of its entry), texts (StatePages).
//
// Invariants
//   DR1  A row is either of one slot or in the free list.
//   DR2  A slot's state has pages exactly if the flag of its row says so.
import { GrowingMemory, type Millis } from '@flatline/base';
import { type SequenceWindow, type SessionDetail, SessionTexts } from '@flatline/kinds';
import { SLOTS_MAX } from './key-index.ts';
import { PageBytes } from './page-bytes.ts';
import { StatePages } from './state-pages.ts';

const ROW_BYTES = 64;
const ROW_F64_SHIFT = 3;
export const ROW_I32_SHIFT = 4;

/** Of the last Int32: the number of restarts (RESTARTS_MAX of libs/core/kinds), and above it whether there are texts. */
const RESTARTS_MASK = 0x7fffffff;
const HAS_TEXTS = ~RESTARTS_MASK;

export class DetailRows {
  readonly #memory = new GrowingMemory(SLOTS_MAX * ROW_BYTES);
  readonly #slotMemory = new GrowingMemory(SLOTS_MAX * Int32Array.BYTES_PER_ELEMENT);
  readonly #free: number[] = [];
  #rows = 0;
  f64 = new Float64Array(this.#memory.buffer, 0, 0);
  i32 = new Int32Array(this.#memory.buffer, 0, 0);
  /** By slot; says nothing of slots without a row. */
  rowOf = new Int32Array(this.#slotMemory.buffer, 0, 0);
  readonly pages = new StatePages();

  /** Whether any slot ever had a row. */
  get isUsed(): boolean {
    return this.#rows > 0;
  }

  /** Gives a slot that has none a row, whatever stood there. */
  take(slot: number): void {
    if (slot >= this.rowOf.length) this.#growSlots(slot + 1);
    this.rowOf[slot] = this.#free.pop() ?? this.#newRow();
  }

  /** Takes the row of a slot that has one. */
  release(slot: number): void {
    const row = this.rowOf[slot]!;
    const last = (row << ROW_I32_SHIFT) + 15;
    if (this.i32[last]! < 0) this.pages.clear(slot);
    this.i32[last] = 0;
    this.#free.push(row);
  }

  #growSlots(count: number): void {
    this.#slotMemory.grow(count * Int32Array.BYTES_PER_ELEMENT);
    const { buffer } = this.#slotMemory;
    // With its length said: an array that follows its buffer's growth is several times slower to read.
    this.rowOf = new Int32Array(buffer, 0, buffer.byteLength / Int32Array.BYTES_PER_ELEMENT);
  }

  #newRow(): number {
    const row = this.#rows;
    this.#rows += 1;
    if (this.#rows << ROW_I32_SHIFT > this.i32.length) {
      this.#memory.grow(this.#rows * ROW_BYTES);
      const { buffer } = this.#memory;
      const capacity = buffer.byteLength / ROW_BYTES;
      this.f64 = new Float64Array(buffer, 0, capacity << ROW_F64_SHIFT);
      this.i32 = new Int32Array(buffer, 0, capacity << ROW_I32_SHIFT);
    }
    return row;
  }
}

/**
 * A window on one row, moved with `at`; valid until its slot's row is released. The row's sequence window is shown by the
 * same object: to move another one along with it would cost each event as much as what it changes.
 *
 * A row is five Float64 and six Int32 after them, all of these but the last unsigned. The indices are literals for the reason
 * given in entry-layout.ts.
 */
export class DetailView implements SessionDetail, SequenceWindow {
  readonly #rows: DetailRows;
  readonly #bytes: PageBytes;
  readonly #texts: SessionTexts;
  #slot = -1;
  #f64: Float64Array = new Float64Array(0);
  #i32: Int32Array = new Int32Array(0);
  /** Index of the row's first Float64 and first Int32. */
  #f = 0;
  #i = 0;

  constructor(rows: DetailRows) {
    this.#rows = rows;
    this.#bytes = new PageBytes(rows.pages);
    this.#texts = new SessionTexts(this.#bytes);
  }

  /** `slot` has a row. */
  at(slot: number): this {
    const { f64, i32, rowOf } = this.#rows;
    const row = rowOf[slot]!;
    this.#f64 = f64;
    this.#i32 = i32;
    this.#f = row << ROW_F64_SHIFT;
    this.#i = row << ROW_I32_SHIFT;
    this.#slot = slot;
    return this;
  }

  /** Makes the row say what `detail` says. */
  set(detail: SessionDetail): void {
    this.startedAt = detail.startedAt;
    this.lastEventAt = detail.lastEventAt;
    this.duplicateCount = detail.duplicateCount;
    this.outOfOrderCount = detail.outOfOrderCount;
    this.sequence = detail.sequence;
    this.texts = detail.texts;
  }

  get startedAt(): Millis {
    return this.#f64[this.#f]!;
  }
  set startedAt(value: Millis) {
    this.#f64[this.#f] = value;
  }

  get lastEventAt(): Millis {
    return this.#f64[this.#f + 1]!;
  }
  set lastEventAt(value: Millis) {
    this.#f64[this.#f + 1] = value;
  }

  get duplicateCount(): number {
    return this.#i32[this.#i + 10]! >>> 0;
  }
  set duplicateCount(value: number) {
    this.#i32[this.#i + 10] = value;
  }

  get outOfOrderCount(): number {
    return this.#i32[this.#i + 11]! >>> 0;
  }
  set outOfOrderCount(value: number) {
    this.#i32[this.#i + 11] = value;
  }

  /** None where nothing was received. */
  get sequence(): SequenceWindow | undefined {
    return this.#i32[this.#i + 14] === 0 ? undefined : this;
  }
  set sequence(value: SequenceWindow | undefined) {
    if (value === undefined) {
      this.#i32[this.#i + 14] = 0;
      return;
    }
    this.lowest = value.lowest;
    this.highest = value.highest;
    this.seenLow = value.seenLow;
    this.seenHigh = value.seenHigh;
    this.received = value.received;
    this.missingBefore = value.missingBefore;
    this.restarts = value.restarts;
  }

  /** A window on them, as valid as this one. What is set is copied. */
  get texts(): SessionTexts | undefined {
    if (this.#i32[this.#i + 15]! >= 0) return undefined;
    this.#bytes.at(this.#slot);
    return this.#texts;
  }
  set texts(value: SessionTexts | undefined) {
    const at = this.#i + 15;
    if (value !== undefined) this.#bytes.at(this.#slot).set(value.state);
    else if (this.#i32[at]! < 0) this.#rows.pages.clear(this.#slot);
    this.#i32[at] = value === undefined ? this.#i32[at]! & RESTARTS_MASK : this.#i32[at]! | HAS_TEXTS;
  }

  get lowest(): number {
    return this.#f64[this.#f + 2]!;
  }
  set lowest(value: number) {
    this.#f64[this.#f + 2] = value;
  }

  get highest(): number {
    return this.#f64[this.#f + 3]!;
  }
  set highest(value: number) {
    this.#f64[this.#f + 3] = value;
  }

  get missingBefore(): number {
    return this.#f64[this.#f + 4]!;
  }
  set missingBefore(value: number) {
    this.#f64[this.#f + 4] = value;
  }

  get seenLow(): number {
    return this.#i32[this.#i + 12]! >>> 0;
  }
  set seenLow(value: number) {
    this.#i32[this.#i + 12] = value;
  }

  get seenHigh(): number {
    return this.#i32[this.#i + 13]! >>> 0;
  }
  set seenHigh(value: number) {
    this.#i32[this.#i + 13] = value;
  }

  get received(): number {
    return this.#i32[this.#i + 14]! >>> 0;
  }
  set received(value: number) {
    this.#i32[this.#i + 14] = value;
  }

  get restarts(): number {
    return this.#i32[this.#i + 15]! & RESTARTS_MASK;
  }
  set restarts(value: number) {
    const at = this.#i + 15;
    this.#i32[at] = (this.#i32[at]! & HAS_TEXTS) | value;
  }
}
