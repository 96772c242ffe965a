// Key bytes of the live entries, outside the garbage collector's sight.
//
// They lie in units of 4 bytes in one memory; a reference is the number of a key's first unit. Freed places are kept in one
// list per size and reused for keys of that size: session ids of one kind have one size.
//
// Freed places of sizes that do not come again lie idle until `empty`: where there is no room, what lives is copied into empty memory.
//
// Owns: the bytes, the free lists.
// Does not own: lengths, nor which entry a key belongs to (EntryTable).
//
// Invariants
//   KA1  A place is either handed out or in exactly one free list, whose links lie in the free places themselves.
//
// Checked
//   inspect   KA1
import { assert, GrowingMemory } from '@flatline/base';
import { KEY_UNIT_SHIFT } from '@flatline/kinds';

const UNIT_BYTES = 1 << KEY_UNIT_SHIFT;
/** So that the place of each byte is a signed 32-bit number, the kind processors and compilers like best. */
export const KEY_MEMORY_BYTES = 2 ** 31;
/** Longest key that can be kept, in bytes; configuration allows less. */
const KEY_BYTES_MAX = 65_535;
const SIZES = (KEY_BYTES_MAX >>> KEY_UNIT_SHIFT) + 2;
/** End of a free list. */
const NONE = -1;

export class KeyArena {
  readonly #bytesMax: number;
  #memory: GrowingMemory;
  readonly #free = new Int32Array(SIZES).fill(NONE);
  /** Next unit never handed out, and the end of the memory. */
  #next = 0;
  #end = 0;
  /** The memory, byte by byte and to be read four bytes at a time; others after `store`. */
  bytes!: Uint8Array;
  view!: DataView;

  constructor(bytesMax: number = KEY_MEMORY_BYTES) {
    this.#bytesMax = bytesMax;
    this.#memory = new GrowingMemory(bytesMax);
    this.#grow(1);
  }

  /** True if a key of this length has a place without `empty`. */
  hasRoomFor(length: number): boolean {
    const units = unitsFor(length);
    return this.#free[units] !== NONE || (this.#next + units) * UNIT_BYTES <= this.#bytesMax;
  }

  /** Forgets all keys, and returns their memory: references into it stay good until the keys are copied. */
  empty(): DataView {
    const before = this.view;
    this.#memory = new GrowingMemory(this.#bytesMax);
    this.#free.fill(NONE);
    this.#next = 0;
    this.#end = 0;
    this.#grow(1);
    return before;
  }

  /** Copies the key that `from` shows in, and returns its reference. */
  store(from: DataView, start: number, length: number): number {
    assert(length <= KEY_BYTES_MAX, 'keys are bounded by configuration', { length });
    const reference = this.#take(unitsFor(length));
    const to = this.view;
    const at = startOf(reference);
    const whole = length & ~3;
    for (let i = 0; i < whole; i += 4) to.setInt32(at + i, from.getInt32(start + i));
    for (let i = whole; i < length; i += 1) to.setUint8(at + i, from.getUint8(start + i));
    return reference;
  }

  release(reference: number, length: number): void {
    const units = unitsFor(length);
    this.view.setInt32(startOf(reference), this.#free[units]!);
    this.#free[units] = reference;
  }

  /**
   * Lists violations of the invariant, in words. `keys`: reference and length of each key, one after the other. O(keys, free
   * places), changes nothing. For checks.
   */
  inspect(keys: readonly number[]): string[] {
    const units = new Uint8Array(this.#next);
    const faults: string[] = [];
    const take = (reference: number, count: number, what: string): boolean => {
      const place = units.subarray(reference, reference + count);
      const isFree = place.length === count && place.every((unit) => unit === 0);
      if (!isFree) faults.push(`KA1: the ${what} at unit ${reference} lies where another one does, or beyond the last`);
      place.fill(1);
      return isFree;
    };
    for (let at = 0; at < keys.length; at += 2) take(keys[at]!, unitsFor(keys[at + 1]!), 'key');
    for (let count = 0; count < SIZES; count += 1)
      for (let free = this.#free[count]!; free !== NONE; free = this.view.getInt32(startOf(free)))
        if (!take(free, count, 'free place')) return faults;
    const lost = units.indexOf(0);
    if (lost >= 0) faults.push(`KA1: the unit ${lost} is neither of a key nor in a free list`);
    return faults;
  }

  #take(units: number): number {
    const free = this.#free[units]!;
    if (free !== NONE) {
      this.#free[units] = this.view.getInt32(startOf(free));
      return free;
    }
    if (this.#next + units > this.#end) this.#grow(this.#next + units);
    const reference = this.#next;
    this.#next += units;
    return reference;
  }

  #grow(units: number): void {
    this.#memory.grow(units * UNIT_BYTES);
    const { buffer } = this.#memory;
    this.#end = Math.floor(buffer.byteLength / (1 << KEY_UNIT_SHIFT));
    this.bytes = new Uint8Array(buffer, 0, buffer.byteLength);
    this.view = new DataView(buffer, 0, buffer.byteLength);
  }
}

/** Returns the bytes that a key of this length takes. */
export function keyBytes(length: number): number {
  return unitsFor(length) << KEY_UNIT_SHIFT;
}

/** Returns where a reference's key begins. */
export function startOf(reference: number): number {
  return reference << KEY_UNIT_SHIFT;
}

/** A free place must hold a link of four bytes, so even an empty key takes one unit. */
function unitsFor(length: number): number {
  return Math.max(1, (length + 3) >>> KEY_UNIT_SHIFT);
}
