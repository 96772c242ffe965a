// Looking ahead at a group of keys: reads what finding each of them will read, and throws it away.
//
// Where the live state is larger than the processor's caches, finding a key waits for memory three times in a row: for its
// place in the index, for the entry, for the key there. For one key nothing shortens that. For a group the waits of each
// kind overlap, since no read depends on another's result (group prefetching: Chen, Ailamaki, Gibbons, Mowry, "Improving
// Hash Join Performance through Prefetching", ICDE 2004). JavaScript has no prefetch; a read does the same.
//
// Owns: the hashes of the group.      Does not own: anything it looks at, nor any answer: a guess may be wrong, or grow old.
import { hashView } from '@flatline/base';
import { KEY_REFERENCE, PAGE_MASK, PAGE_SHIFT, type Page } from './entry-layout.ts';
import { CHUNK_MASK, type KeyArena, startOf } from './key-arena.ts';
import type { KeyIndex } from './key-index.ts';
import { KEY_GROUP_MAX, type KeyGroup } from './ports/log-reader.ts';

export class LookAhead {
  /** Of each key of the group, in order; of a null key, anything. */
  readonly hashes = new Int32Array(KEY_GROUP_MAX);
  readonly #index: KeyIndex;
  readonly #pages: readonly Page[];
  readonly #keys: KeyArena;
  readonly #slots = new Int32Array(KEY_GROUP_MAX);
  readonly #references = new Int32Array(KEY_GROUP_MAX);
  /** What was read comes to something here, so that the compiler keeps the reading. */
  residue = 0;

  constructor(index: KeyIndex, pages: readonly Page[], keys: KeyArena) {
    this.#index = index;
    this.#pages = pages;
    this.#keys = keys;
  }

  look(view: DataView, { count, starts, lengths }: KeyGroup, hashSeed: number): void {
    const { hashes } = this;
    for (let i = 0; i < count; i += 1) {
      const length = lengths[i]!;
      hashes[i] = length < 0 ? 0 : hashView(view, starts[i]!, length, hashSeed);
    }
    this.#index.likelySlots(hashes, count, this.#slots);
    this.#touchEntries(count);
    this.#touchKeys(count, lengths);
  }

  #touchEntries(count: number): void {
    const pages = this.#pages;
    const slots = this.#slots;
    for (let i = 0; i < count; i += 1) {
      const slot = slots[i]!;
      this.#references[i] = slot < 0 ? 0 : pages[slot >>> PAGE_SHIFT]!.i32[((slot & PAGE_MASK) << 4) + KEY_REFERENCE]!;
    }
  }

  #touchKeys(count: number, lengths: Int32Array): void {
    const slots = this.#slots;
    let residue = 0;
    for (let i = 0; i < count; i += 1) {
      if (slots[i]! < 0) continue;
      const reference = this.#references[i]!;
      const start = startOf(reference);
      const chunk = this.#keys.chunkOf(reference >>> 0);
      // Both ends: what lies between is on the same lines, or fetched by the processor itself. Masked, since the key there
      // may be another one, shorter and at the end of its chunk.
      residue ^= chunk[start]! ^ chunk[(start + lengths[i]! - 1) & CHUNK_MASK]!;
    }
    this.residue = residue;
  }
}
