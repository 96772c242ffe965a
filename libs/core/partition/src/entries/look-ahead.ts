// Looking ahead at a group of keys: reads what finding each of them will read, and throws it away.
//
// Where the live state is larger than the processor's caches, finding a key waits for memory three times in a row: for its
// place in the index, for the entry, for the key there. For one key nothing shortens that. For a group the waits of each
// kind overlap, since no read depends on another's result (group prefetching: Chen, Ailamaki, Gibbons, Mowry, "Improving
// Hash Join Performance through Prefetching", ICDE 2004). JavaScript has no prefetch; a read does the same.
//
// Owns: the hashes of the group.
// Does not own: anything it looks at, nor any answer: a guess may be wrong, or grow old.
import { hashView } from '@flatline/base';
import { LINE_I32_SHIFT } from '@flatline/kinds';
import { type Heads, KEY_LENGTH_AND_FLAGS, KEY_REFERENCE } from './entry-layout.ts';
import type { EntryRows } from './entry-rows.ts';
import { type KeyArena, startOf } from './key-arena.ts';
import type { KeyIndex } from './key-index.ts';
import { KEY_GROUP_MAX, type KeySpans } from '@flatline/ports';

export class LookAhead {
  /** The hash of each key of the group, in order; anything for a null key. */
  readonly hashes = new Int32Array(KEY_GROUP_MAX);
  /** Where each key most likely is; −1: it had no place. */
  readonly slots = new Int32Array(KEY_GROUP_MAX);
  readonly #index: KeyIndex;
  readonly #entries: Heads;
  readonly #keys: KeyArena;
  readonly #rows: EntryRows;

  readonly #references = new Int32Array(KEY_GROUP_MAX);
  readonly #lengths = new Int32Array(KEY_GROUP_MAX);
  /** Takes what was read, so that the compiler does not drop the reads. */
  residue = 0;

  constructor(index: KeyIndex, entries: Heads, keys: KeyArena, rows: EntryRows) {
    this.#index = index;
    this.#entries = entries;
    this.#keys = keys;
    this.#rows = rows;
  }

  look(view: DataView, { count, starts, lengths }: KeySpans, hashSeed: number): void {
    const { hashes } = this;
    for (let i = 0; i < count; i += 1) {
      const length = lengths[i]!;
      hashes[i] = length < 0 ? 0 : hashView(view, starts[i]!, length, hashSeed);
    }
    this.#index.likelySlots(hashes, count, this.slots);
    this.#touchEntries(count);
    this.#touchKeys(count, lengths);
    if (this.#rows.isUsed) this.#touchRows(this.slots, count);
  }

  /** The same for slots that are known: what writing their images reads. */
  lookAtSlots(slots: Int32Array, count: number): void {
    const { i32 } = this.#entries;
    const references = this.#references;
    const lengths = this.#lengths;
    for (let i = 0; i < count; i += 1) {
      const base = slots[i]! << LINE_I32_SHIFT;
      references[i] = i32[base + KEY_REFERENCE]!;
      lengths[i] = i32[base + KEY_LENGTH_AND_FLAGS]! & 0xffff;
    }
    this.#touchKeys(count, lengths);
    if (this.#rows.isUsed) this.#touchRows(slots, count);
  }

  /** The same for slots of which no keys will be read, live or not: what touches them does not. */
  lookAtHeads(slots: Int32Array, count: number): void {
    const { i32 } = this.#entries;
    let { residue } = this;
    for (let i = 0; i < count; i += 1) residue ^= i32[(slots[i]! << LINE_I32_SHIFT) + KEY_LENGTH_AND_FLAGS]!;
    this.residue = residue;
    if (this.#rows.isUsed) this.#touchRows(slots, count);
  }

  #touchEntries(count: number): void {
    const { i32 } = this.#entries;
    const slots = this.slots;
    const references = this.#references;
    for (let i = 0; i < count; i += 1) {
      const slot = slots[i]!;
      references[i] = slot < 0 ? 0 : i32[(slot << LINE_I32_SHIFT) + KEY_REFERENCE]!;
    }
  }

  #touchKeys(count: number, lengths: Int32Array): void {
    const { bytes } = this.#keys;
    // Bounded, since the key there may be another one, shorter and at the very end.
    const last = bytes.length - 1;
    const references = this.#references;
    let residue = 0;
    for (let i = 0; i < count; i += 1) {
      const start = startOf(references[i]!);
      // Both ends: what lies between is on the same lines, or fetched by the processor itself.
      residue ^= bytes[start]! ^ bytes[Math.min(start + lengths[i]!, last)]!;
    }
    this.residue = residue;
  }

  /** For a slot without a row some other one is touched: a wait more, and never a wrong answer. */
  #touchRows(slots: Int32Array, count: number): void {
    const { rowOf, i32 } = this.#rows;
    const rows = this.#references;
    const last = rowOf.length - 1;
    for (let i = 0; i < count; i += 1) rows[i] = rowOf[Math.max(0, Math.min(slots[i]!, last))]!;
    let { residue } = this;
    for (let i = 0; i < count; i += 1) residue ^= i32[rows[i]! << LINE_I32_SHIFT]!;
    this.residue = residue;
  }
}
