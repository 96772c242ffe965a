// Places for pages of state, outside the garbage collector's sight.
//
// The memory is cut into slabs, and each slab into places of one size (Bonwick, "The Slab Allocator", USENIX 1994): a page
// that outgrows its place takes one of the next size, and a slab whose pages have all gone serves any size again. With free
// lists per size alone, a population whose states grow together would leave a copy of itself behind for each size.
//
// A place begins with two words of the page's own: its length, how many of its first bytes are as they were last written down,
// whether it is dirty; and the digest of what was written. A reference is the number of a place's first unit of 8 bytes.
//
// Owns: the memory, which places are free, the pages' words.
// Does not own: whose a page is (StatePages).
//
// Invariants
//   PG1  A place is handed out, or in its slab's free list, whose links lie in the free places, or beyond the slab's fresh ones.
//   PG2  A slab is full, or in the list of its size, or empty and in the list of empty ones.
//
// Checked
//   inspect   PG1, PG2
import { GrowingMemory } from '@flatline/base';
import { arenaFaults } from './arena-inspection.ts';

/** Addresses that are reserved for one partition's pages, once it has any. */
const MEMORY_BYTES = 2 ** 32;
const UNIT_BYTES = 8;
const UNIT_SHIFT = 3;
/** From a reference to the index of the place's first Int32. */
const I32_SHIFT = 1;
const SLAB_BYTES = 64 * 1024;
const SLAB_UNIT_SHIFT = 13;
/** Sizes grow by a unit up to here, and beyond by about an eighth, to what divides a slab. */
const FINE_BYTES = 256;
const PLACE_BYTES_MAX = 16 * 1024;
/** The page's own words. */
const WORDS_BYTES = 8;
/** Bytes of the longest page; the changelog's pages are as long. */
export const PAGE_BYTES_MAX = PLACE_BYTES_MAX - WORDS_BYTES;

// The first word: the length, the number of bytes kept, the flag. The length is less than 2^15.
const LENGTH = 0x7fff;
const KEPT_SHIFT = 15;
const DIRTY = 1 << 31;
const NONE = -1;

/** Fields of a slab, each an Int32: its size by number, places taken, places never taken, first free place, its neighbours. */
const SIZE = 0;
const TAKEN = 1;
const FRESH = 2;
const FREE = 3;
const PREVIOUS = 4;
const NEXT = 5;
const SLAB_FIELDS = 6;

const SIZES = placeSizes();
const SIZE_OF = sizeNumbers();
const PLACES = SIZES.map((bytes) => Math.floor(SLAB_BYTES / bytes));

export class PageArena {
  #memory: GrowingMemory | undefined;
  #slabs = new Int32Array(0);
  #slabsEnd = 0;
  /** By size, the first slab with room. */
  readonly #withRoom = new Int32Array(SIZES.length).fill(NONE);
  #empty = NONE;
  #takenBytes = 0;
  #unwrittenBytes = 0;
  /** The memory, three ways; others after `take`. */
  bytes: Uint8Array = new Uint8Array(0);
  view: DataView = new DataView(new ArrayBuffer(0));
  i32: Int32Array = new Int32Array(0);

  /** Bytes of the places that pages have. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Bytes of dirty pages that are others than when they were last written down. */
  get unwrittenBytes(): number {
    return this.#unwrittenBytes;
  }

  /** Bytes of the memory, places that wait for pages included. */
  get heldBytes(): number {
    return this.#slabsEnd * SLAB_BYTES;
  }

  /** A place for a page of so many bytes, which is dirty; its bytes are whatever stood there. */
  take(length: number): number {
    const size = sizeFor(length);
    let slab = this.#withRoom[size]!;
    if (slab === NONE) slab = this.#slabFor(size);
    const reference = this.#placeIn(slab, SIZES[size]!);
    this.#setWord(reference, length, 0);
    this.#unwrittenBytes += length;
    this.#takenBytes += SIZES[size]!;
    return reference;
  }

  release(reference: number): void {
    this.#unwrittenBytes -= this.#unwrittenOf(reference);
    const slab = reference >>> SLAB_UNIT_SHIFT;
    const at = slab * SLAB_FIELDS;
    const slabs = this.#slabs;
    const size = slabs[at + SIZE]!;
    if (slabs[at + TAKEN] === PLACES[size]) this.#link(slab, size);
    this.i32[reference << I32_SHIFT] = slabs[at + FREE]!;
    slabs[at + FREE] = reference;
    slabs[at + TAKEN]! -= 1;
    this.#takenBytes -= SIZES[size]!;
    if (slabs[at + TAKEN] !== 0) return;
    this.#unlink(slab, size);
    slabs[at + NEXT] = this.#empty;
    this.#empty = slab;
  }

  /** Where the page's bytes begin. */
  startOf(reference: number): number {
    return reference * UNIT_BYTES + WORDS_BYTES;
  }

  lengthOf(reference: number): number {
    return this.i32[reference << I32_SHIFT]! & LENGTH;
  }

  /** Makes a page as long as that, the bytes before `at` as they are. False: its place is too short, or far too long. */
  resize(reference: number, length: number, at: number): boolean {
    const size = SIZES[this.#slabs[(reference >>> SLAB_UNIT_SHIFT) * SLAB_FIELDS + SIZE]!]!;
    const wanted = SIZES[sizeFor(length)]!;
    // A little room is left to a page that has become shorter: it may become longer again.
    if (wanted > size || wanted < size - (size >>> 3) - UNIT_BYTES) return false;
    this.#change(reference, length, Math.min(this.keptOf(reference), at));
    return true;
  }

  isDirty(reference: number): boolean {
    return this.i32[reference << I32_SHIFT]! < 0;
  }

  /** How many of its first bytes are as they were last written down; all of a clean page's. */
  keptOf(reference: number): number {
    const word = this.i32[reference << I32_SHIFT]!;
    return word < 0 ? (word >>> KEPT_SHIFT) & LENGTH : word & LENGTH;
  }

  /** Says that bytes from `at` on are others. */
  touch(reference: number, at: number): void {
    this.#change(reference, this.lengthOf(reference), Math.min(this.keptOf(reference), at));
  }

  /** Says that a page, new in its place, is what `from` is up to `at`. */
  inherit(reference: number, from: number, at: number): void {
    this.#change(reference, this.lengthOf(reference), Math.min(this.keptOf(from), at));
  }

  /** Says that it is written down as it is, with that digest. */
  clean(reference: number, digest: number): void {
    this.#unwrittenBytes -= this.#unwrittenOf(reference);
    const at = reference << I32_SHIFT;
    this.i32[at]! &= LENGTH;
    this.i32[at + 1] = digest;
  }

  /** The digest of the page as it was written down last. */
  digestOf(reference: number): number {
    return this.i32[(reference << I32_SHIFT) + 1]!;
  }

  /**
   * Lists violations of the invariants, in words. `references`: those of all pages there are. O(places), changes nothing. For
   * checks.
   */
  inspect(references: readonly number[]): string[] {
    const slabs = Array.from({ length: this.#slabsEnd }, (_, slab) => {
      const fields = this.#slabs.subarray(slab * SLAB_FIELDS, (slab + 1) * SLAB_FIELDS);
      const size = fields[SIZE]!;
      const free = [];
      // Bounded: a list that leads in a circle is longer than the number of places ever handed out.
      for (let at = fields[FREE]!; at !== NONE && free.length <= fields[FRESH]!; at = this.i32[at << I32_SHIFT]!)
        free.push(at);
      return {
        size,
        places: PLACES[size]!,
        placeUnits: SIZES[size]! / UNIT_BYTES,
        firstUnit: slab << SLAB_UNIT_SHIFT,
        taken: fields[TAKEN]!,
        fresh: fields[FRESH]!,
        free,
        previous: fields[PREVIOUS]!,
        next: fields[NEXT]!,
      };
    });
    const pages = references.map((reference) => ({
      reference,
      slab: reference >>> SLAB_UNIT_SHIFT,
      units: Math.ceil((this.lengthOf(reference) + WORDS_BYTES) / UNIT_BYTES),
      unwritten: this.#unwrittenOf(reference),
    }));
    const { takenBytes, unwrittenBytes } = this;
    return arenaFaults({ slabs, pages, withRoom: [...this.#withRoom], empty: this.#empty, takenBytes, unwrittenBytes });
  }

  #unwrittenOf(reference: number): number {
    return this.lengthOf(reference) - this.keptOf(reference);
  }

  #change(reference: number, length: number, kept: number): void {
    this.#unwrittenBytes += length - kept - this.#unwrittenOf(reference);
    this.#setWord(reference, length, kept);
  }

  #setWord(reference: number, length: number, kept: number): void {
    this.i32[reference << I32_SHIFT] = DIRTY | (kept << KEPT_SHIFT) | length;
  }

  #placeIn(slab: number, bytes: number): number {
    const at = slab * SLAB_FIELDS;
    const slabs = this.#slabs;
    const free = slabs[at + FREE]!;
    slabs[at + TAKEN]! += 1;
    if (slabs[at + TAKEN] === PLACES[slabs[at + SIZE]!]) this.#unlink(slab, slabs[at + SIZE]!);
    if (free !== NONE) {
      slabs[at + FREE] = this.i32[free << I32_SHIFT]!;
      return free;
    }
    const fresh = slabs[at + FRESH]!;
    slabs[at + FRESH] = fresh + 1;
    return (slab << SLAB_UNIT_SHIFT) + (fresh * bytes) / UNIT_BYTES;
  }

  /** An empty slab that from now on has places of that size. */
  #slabFor(size: number): number {
    const slab = this.#empty === NONE ? this.#newSlab() : this.#empty;
    const at = slab * SLAB_FIELDS;
    const slabs = this.#slabs;
    if (slab === this.#empty) this.#empty = slabs[at + NEXT]!;
    slabs[at + SIZE] = size;
    slabs[at + TAKEN] = 0;
    slabs[at + FRESH] = 0;
    slabs[at + FREE] = NONE;
    this.#link(slab, size);
    return slab;
  }

  #newSlab(): number {
    const slab = this.#slabsEnd;
    this.#slabsEnd += 1;
    if (this.heldBytes > this.bytes.length) this.#grow();
    if (this.#slabsEnd * SLAB_FIELDS > this.#slabs.length) {
      const grown = new Int32Array(Math.max(64 * SLAB_FIELDS, 2 * this.#slabs.length));
      grown.set(this.#slabs);
      this.#slabs = grown;
    }
    return slab;
  }

  #grow(): void {
    this.#memory ??= new GrowingMemory(MEMORY_BYTES);
    this.#memory.grow(this.heldBytes);
    const { buffer } = this.#memory;
    const { byteLength } = buffer;
    this.bytes = new Uint8Array(buffer, 0, byteLength);
    this.view = new DataView(buffer, 0, byteLength);
    this.i32 = new Int32Array(buffer, 0, byteLength / Int32Array.BYTES_PER_ELEMENT);
  }

  /** Puts a slab first among those of its size with room. */
  #link(slab: number, size: number): void {
    const slabs = this.#slabs;
    const next = this.#withRoom[size]!;
    slabs[slab * SLAB_FIELDS + PREVIOUS] = NONE;
    slabs[slab * SLAB_FIELDS + NEXT] = next;
    if (next !== NONE) slabs[next * SLAB_FIELDS + PREVIOUS] = slab;
    this.#withRoom[size] = slab;
  }

  #unlink(slab: number, size: number): void {
    const slabs = this.#slabs;
    const previous = slabs[slab * SLAB_FIELDS + PREVIOUS]!;
    const next = slabs[slab * SLAB_FIELDS + NEXT]!;
    if (previous === NONE) this.#withRoom[size] = next;
    else slabs[previous * SLAB_FIELDS + NEXT] = next;
    if (next !== NONE) slabs[next * SLAB_FIELDS + PREVIOUS] = previous;
  }
}

/** Number of the size of place that a page of so many bytes needs. */
function sizeFor(length: number): number {
  return SIZE_OF[(length + WORDS_BYTES + UNIT_BYTES - 1) >>> UNIT_SHIFT]!;
}

/** Ascending, each a multiple of a unit. */
function placeSizes(): readonly number[] {
  const sizes: number[] = [];
  for (let bytes = UNIT_BYTES; bytes < FINE_BYTES; bytes += UNIT_BYTES) sizes.push(bytes);
  const fewest = SLAB_BYTES / PLACE_BYTES_MAX;
  for (
    let places = SLAB_BYTES / FINE_BYTES;
    places >= fewest;
    places = Math.min(places - 1, Math.floor((places * 8) / 9))
  )
    sizes.push(Math.floor(SLAB_BYTES / places / UNIT_BYTES) * UNIT_BYTES);
  return sizes;
}

/** By units wanted, the number of the least size that has as many. */
function sizeNumbers(): Uint8Array {
  const numbers = new Uint8Array(PLACE_BYTES_MAX / UNIT_BYTES + 1);
  let number = 0;
  for (let units = 0; units < numbers.length; units += 1) {
    if (units * UNIT_BYTES > SIZES[number]!) number += 1;
    numbers[units] = number;
  }
  return numbers;
}
