// The rows of entries: a second line of 64 bytes each, taken from a pool when an entry first needs it.
//
// Most pipelines have a row for each entry or for none, so the way to a row is an array by slot that is empty until the first
// one comes.
//
// Owns: rows, which slot has which.
// Does not own: whether a slot has a row (a flag of its head), what is in it (kinds).
//
// Invariants
//   ER1  A row is either of one slot or in the free list.
//
// Checked
//   inspect   ER1
import { GrowingMemory } from '@flatline/base';
import { LINE_BYTES, LINE_F64_SHIFT, LINE_I32_SHIFT, type Rows } from '@flatline/kinds';
import { SLOTS_MAX } from './key-index.ts';

export class EntryRows implements Rows {
  readonly #memory = new GrowingMemory(SLOTS_MAX * LINE_BYTES);
  readonly #slotMemory = new GrowingMemory(SLOTS_MAX * Int32Array.BYTES_PER_ELEMENT);
  readonly #free: number[] = [];
  #rows = 0;
  f64 = new Float64Array(this.#memory.buffer, 0, 0);
  i32 = new Int32Array(this.#memory.buffer, 0, 0);
  rowOf = new Int32Array(this.#slotMemory.buffer, 0, 0);

  /** True if any slot ever had a row. */
  get isUsed(): boolean {
    return this.#rows > 0;
  }

  take(slot: number): void {
    if (slot >= this.rowOf.length) this.#growSlots(slot + 1);
    this.rowOf[slot] = this.#free.pop() ?? this.#newRow();
  }

  release(slot: number): void {
    this.#free.push(this.rowOf[slot]!);
  }

  /** Lists violations of the invariant, in words. `slots`: those that have a row. Changes nothing. For checks. */
  inspect(slots: readonly number[]): string[] {
    const rows = [...slots.map((slot) => this.rowOf[slot]!), ...this.#free];
    const isSound = new Set(rows).size === rows.length && rows.length === this.#rows;
    return isSound ? [] : [`ER1: of ${this.#rows} rows ${slots.length} are of slots and ${this.#free.length} free`];
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
    if (this.#rows << LINE_I32_SHIFT > this.i32.length) {
      this.#memory.grow(this.#rows * LINE_BYTES);
      const { buffer } = this.#memory;
      const capacity = buffer.byteLength / LINE_BYTES;
      this.f64 = new Float64Array(buffer, 0, capacity << LINE_F64_SHIFT);
      this.i32 = new Int32Array(buffer, 0, capacity << LINE_I32_SHIFT);
    }
    return row;
  }
}
