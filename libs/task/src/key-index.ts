// From key bytes to slot number: open addressing with linear probing, in segments that grow one at a time.
//
// A segment is chosen by the top bits of the hash, so growing moves one 64th of the keys and never stops the loop for
// long. A place holds a slot number and the hash beside it, on one cache line: keys are compared only where hashes are
// equal, and moving a place needs no look at its key.
//
// Owns: places.      Does not own: keys (asked for through KeySource), slot numbers.
//
// Invariants
//   KI1  A key is found by probing from its home place without passing an empty one: removal shifts followers back.
//   KI2  No segment is fuller than three quarters.
import { assert } from '@flatline/base';

export interface KeySource {
  /** True if the key of `slot` equals what the view shows from `start` on. */
  matches(slot: number, view: DataView, start: number, length: number): boolean;
}

const SEGMENT_BITS = 6;
const SEGMENTS = 1 << SEGMENT_BITS;
const SEGMENT_SHIFT = 32 - SEGMENT_BITS;
const FIRST_PLACES = 16;

class Segment {
  /** Two numbers a place: slot number + 1, where 0 is an empty place, and hash. */
  places = new Int32Array(2 * FIRST_PLACES);
  /** Of a place's index in `places`; places begin at even ones. */
  mask = 2 * FIRST_PLACES - 2;
  used = 0;
}

export class KeyIndex {
  readonly #source: KeySource;
  readonly #segments: readonly Segment[] = Array.from({ length: SEGMENTS }, () => new Segment());
  #size = 0;

  constructor(source: KeySource) {
    this.#source = source;
  }

  get size(): number {
    return this.#size;
  }

  /** The slot of a key, or −1. `hash` is that of the key's bytes, signed. */
  find(hash: number, view: DataView, start: number, length: number): number {
    const { places, mask } = this.#segments[hash >>> SEGMENT_SHIFT]!;
    for (let place = homeOf(hash) & mask; ; place = (place + 2) & mask) {
      const slot = places[place]! - 1;
      if (slot < 0) return -1;
      if (places[place + 1] === hash && this.#source.matches(slot, view, start, length)) return slot;
    }
  }

  /**
   * For each hash the slot of a key that has it, or −1. In two passes: the first waits for all the places at once, so that
   * the second, whose probing depends on what is there, waits for none.
   */
  likelySlots(hashes: Int32Array, count: number, slots: Int32Array): void {
    for (let i = 0; i < count; i += 1) {
      const { places, mask } = this.#segments[hashes[i]! >>> SEGMENT_SHIFT]!;
      slots[i] = places[homeOf(hashes[i]!) & mask]!;
    }
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i]!;
      const { places, mask } = this.#segments[hash >>> SEGMENT_SHIFT]!;
      let place = homeOf(hash) & mask;
      while (places[place] !== 0 && places[place + 1] !== hash) place = (place + 2) & mask;
      slots[i] = places[place]! - 1;
    }
  }

  /** Adds a key that is not present. */
  insert(hash: number, slot: number): void {
    const segment = this.#segments[hash >>> SEGMENT_SHIFT]!;
    // Two numbers a place: 8 (used + 1) > 3 length is used + 1 > three quarters of the places.
    if ((segment.used + 1) * 8 > segment.places.length * 3) grow(segment);
    put(segment, hash, slot);
    segment.used += 1;
    this.#size += 1;
  }

  /** Removes a slot that is present. */
  remove(hash: number, slot: number): void {
    const segment = this.#segments[hash >>> SEGMENT_SHIFT]!;
    const { places, mask } = segment;
    let place = homeOf(hash) & mask;
    while (places[place] !== slot + 1) {
      assert(places[place] !== 0, 'a removed key was in the index', { slot });
      place = (place + 2) & mask;
    }
    closeGap(segment, place);
    segment.used -= 1;
    this.#size -= 1;
  }
}

/** Where probing begins, before it is masked: the lowest bits of the hash, those that choose no segment. */
function homeOf(hash: number): number {
  return hash << 1;
}

function closeGap({ places, mask }: Segment, gap: number): void {
  let hole = gap;
  for (let place = (hole + 2) & mask; places[place] !== 0; place = (place + 2) & mask) {
    const home = homeOf(places[place + 1]!) & mask;
    // A follower moves back unless its home lies after the hole: moving it would put it before its home.
    if (((place - home) & mask) < ((place - hole) & mask)) continue;
    places[hole] = places[place]!;
    places[hole + 1] = places[place + 1]!;
    hole = place;
  }
  places[hole] = 0;
}

function grow(segment: Segment): void {
  const { places } = segment;
  segment.places = new Int32Array(places.length * 2);
  segment.mask = segment.places.length - 2;
  for (let place = 0; place < places.length; place += 2)
    if (places[place] !== 0) put(segment, places[place + 1]!, places[place]! - 1);
}

function put({ places, mask }: Segment, hash: number, slot: number): void {
  let place = homeOf(hash) & mask;
  while (places[place] !== 0) place = (place + 2) & mask;
  places[place] = slot + 1;
  places[place + 1] = hash;
}
