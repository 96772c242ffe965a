// From key bytes to slot number: open addressing with linear probing, in segments that split when they are full.
//
// A segment is chosen by the top bits of the hash, through a directory (extendible hashing: Fagin, Nievergelt, Pippenger,
// Strong, ACM TODS 1979). Growing splits one segment at a time, so it moves a few thousand places and never stops the loop
// for long, and nothing is left over to be freed. A place holds a slot number and the hash beside it, on one cache line: keys
// are compared only where hashes are equal, and moving a place needs no look at its key.
//
// Owns: places, the directory.      Does not own: keys (asked for through KeySource), slot numbers.
//
// Invariants
//   KI1  A key is found by probing from its home place without passing an empty one: removal shifts followers back.
//   KI2  No segment is fuller than three quarters.
//   KI3  All hashes in a segment share its first `depth` bits, and the directory leads from each such prefix to it.
import { assert } from '@flatline/base';
import { GrowingMemory } from './growing-memory.ts';

export interface KeySource {
  /** True if the key of `slot` equals what the view shows from `start` on. */
  matches(slot: number, view: DataView, start: number, length: number): boolean;
}

/** Two numbers a place: slot number + 1, where 0 is an empty place, and hash. Places begin at even indexes. */
const SEGMENT_SHIFT = 13;
const SEGMENT_NUMBERS = 1 << SEGMENT_SHIFT;
const PLACE_MASK = SEGMENT_NUMBERS - 2;
const USED_MAX = (SEGMENT_NUMBERS / 2) * 0.75;
/** Segments enough for more keys than there can be entries. */
const DEPTH_MAX = 16;
const BYTES_MAX = SEGMENT_NUMBERS * 4 * 2 ** DEPTH_MAX;

export class KeyIndex {
  readonly #source: KeySource;
  readonly #memory = new GrowingMemory(BYTES_MAX);
  #places = new Int32Array(this.#memory.buffer, 0, 0);
  /** By the first `#depth` bits of a hash: where its segment begins in `#places`. */
  #directory = new Int32Array(2);
  #depth = 1;
  /** By segment: how many first bits its hashes share, and how many places are used. */
  readonly #depths: number[] = [];
  readonly #used: number[] = [];
  #size = 0;

  constructor(source: KeySource) {
    this.#source = source;
    for (let half = 0; half < 2; half += 1) this.#directory[half] = this.#newSegment(1);
  }

  get size(): number {
    return this.#size;
  }

  /** The slot of a key, or −1. `hash` is that of the key's bytes, signed. */
  find(hash: number, view: DataView, start: number, length: number): number {
    const places = this.#places;
    const segment = this.#segmentOf(hash);
    for (let within = homeOf(hash); ; within = (within + 2) & PLACE_MASK) {
      const slot = places[segment + within]! - 1;
      if (slot < 0) return -1;
      if (places[segment + within + 1] === hash && this.#source.matches(slot, view, start, length)) return slot;
    }
  }

  /**
   * For each hash the slot of a key that has it, or −1. In two passes: the first waits for all the places at once, so that
   * the second, whose probing depends on what is there, waits for none.
   */
  likelySlots(hashes: Int32Array, count: number, slots: Int32Array): void {
    const places = this.#places;
    const directory = this.#directory;
    const shift = 32 - this.#depth;
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i]!;
      slots[i] = places[directory[hash >>> shift]! + homeOf(hash)]!;
    }
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i]!;
      const segment = directory[hash >>> shift]!;
      let within = homeOf(hash);
      while (places[segment + within] !== 0 && places[segment + within + 1] !== hash)
        within = (within + 2) & PLACE_MASK;
      slots[i] = places[segment + within]! - 1;
    }
  }

  /** Adds a key that is not present. */
  insert(hash: number, slot: number): void {
    let segment = this.#segmentOf(hash);
    while (this.#used[segment >>> SEGMENT_SHIFT]! >= USED_MAX) {
      this.#split(segment, hash);
      segment = this.#segmentOf(hash);
    }
    this.#put(segment, hash, slot);
    this.#size += 1;
  }

  /** Removes a slot that is present. */
  remove(hash: number, slot: number): void {
    const places = this.#places;
    const segment = this.#segmentOf(hash);
    let within = homeOf(hash);
    while (places[segment + within] !== slot + 1) {
      assert(places[segment + within] !== 0, 'a removed key was in the index', { slot });
      within = (within + 2) & PLACE_MASK;
    }
    closeGap(places, segment, within);
    this.#used[segment >>> SEGMENT_SHIFT]! -= 1;
    this.#size -= 1;
  }

  #segmentOf(hash: number): number {
    return this.#directory[hash >>> (32 - this.#depth)]!;
  }

  #put(segment: number, hash: number, slot: number): void {
    const places = this.#places;
    let within = homeOf(hash);
    while (places[segment + within] !== 0) within = (within + 2) & PLACE_MASK;
    places[segment + within] = slot + 1;
    places[segment + within + 1] = hash;
    this.#used[segment >>> SEGMENT_SHIFT]! += 1;
  }

  /** Moves those with the next bit set, of the segment that `hash` belongs to, into a segment of their own. */
  #split(segment: number, hash: number): void {
    const depth = this.#depths[segment >>> SEGMENT_SHIFT]! + 1;
    if (depth > this.#depth) this.#doubleDirectory();
    const sibling = this.#newSegment(depth);
    this.#depths[segment >>> SEGMENT_SHIFT] = depth;
    const span = 1 << (this.#depth - depth);
    const first = ((hash >>> (32 - depth)) | 1) * span;
    this.#directory.fill(sibling, first, first + span);
    const before = this.#places.slice(segment, segment + SEGMENT_NUMBERS);
    this.#places.fill(0, segment, segment + SEGMENT_NUMBERS);
    this.#used[segment >>> SEGMENT_SHIFT] = 0;
    for (let place = 0; place < SEGMENT_NUMBERS; place += 2) {
      if (before[place] === 0) continue;
      const moved = before[place + 1]!;
      this.#put(this.#segmentOf(moved), moved, before[place]! - 1);
    }
  }

  #doubleDirectory(): void {
    // Keys are hashed with a secret seed: so many in one segment would take billions of them.
    assert(this.#depth < DEPTH_MAX, 'hashes spread over the segments', { keys: this.#size });
    const before = this.#directory;
    this.#directory = Int32Array.from({ length: before.length * 2 }, (_, prefix) => before[prefix >>> 1]!);
    this.#depth += 1;
  }

  #newSegment(depth: number): number {
    const number = this.#depths.length;
    this.#depths.push(depth);
    this.#used.push(0);
    const end = (number + 1) << SEGMENT_SHIFT;
    if (end > this.#places.length) {
      this.#memory.grow(end * 4);
      this.#places = new Int32Array(this.#memory.buffer, 0, this.#memory.buffer.byteLength / 4);
    }
    return number << SEGMENT_SHIFT;
  }
}

/** Where probing begins within a segment: the lowest bits of the hash, those that choose no segment. */
function homeOf(hash: number): number {
  return (hash << 1) & PLACE_MASK;
}

function closeGap(places: Int32Array, segment: number, gap: number): void {
  let hole = gap;
  for (let place = (hole + 2) & PLACE_MASK; places[segment + place] !== 0; place = (place + 2) & PLACE_MASK) {
    const home = homeOf(places[segment + place + 1]!);
    // A follower moves back unless its home lies after the hole: moving it would put it before its home.
    if (((place - home) & PLACE_MASK) < ((place - hole) & PLACE_MASK)) continue;
    places[segment + hole] = places[segment + place]!;
    places[segment + hole + 1] = places[segment + place + 1]!;
    hole = place;
  }
  places[segment + hole] = 0;
}
