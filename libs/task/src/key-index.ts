// From key bytes to slot number: open addressing with linear probing, in segments that grow one at a time.
//
// A segment is chosen by the top bits of the hash, so growing rehashes one 64th of the keys and never stops the loop for
// long. A place holds a slot number and eight bits of the hash, which spare most comparisons of key bytes.
//
// Owns: places.      Does not own: keys (asked for through KeySource), slot numbers.
//
// Invariants
//   KI1  A key is found by probing from its home place without passing an empty one: removal shifts followers back.
//   KI2  No segment is fuller than three quarters.
import { assert } from '@flatline/base';

export interface KeySource {
  /** True if the key of `slot` equals the given bytes. */
  matches(slot: number, bytes: Uint8Array, start: number, length: number): boolean;
  /** The hash `KeyIndex` was given for that slot's key. */
  hashOf(slot: number): number;
}

const SEGMENT_BITS = 6;
const SEGMENTS = 1 << SEGMENT_BITS;
const SEGMENT_SHIFT = 32 - SEGMENT_BITS;
const FIRST_PLACES = 16;

class Segment {
  /** Slot number + 1; 0 is an empty place. */
  slots = new Int32Array(FIRST_PLACES);
  tags = new Uint8Array(FIRST_PLACES);
  mask = FIRST_PLACES - 1;
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

  /** The slot of a key, or −1. `hash` is that of the key's bytes. */
  find(hash: number, bytes: Uint8Array, start: number, length: number): number {
    const { slots, tags, mask } = this.#segments[hash >>> SEGMENT_SHIFT]!;
    const tag = tagOf(hash);
    for (let place = hash & mask; ; place = (place + 1) & mask) {
      const slot = slots[place]! - 1;
      if (slot < 0) return -1;
      if (tags[place] === tag && this.#source.matches(slot, bytes, start, length)) return slot;
    }
  }

  /** Adds a key that is not present. */
  insert(hash: number, slot: number): void {
    const segment = this.#segments[hash >>> SEGMENT_SHIFT]!;
    if ((segment.used + 1) * 4 > segment.slots.length * 3) this.#grow(segment);
    put(segment, hash, slot);
    segment.used += 1;
    this.#size += 1;
  }

  /** Removes a slot that is present. */
  remove(hash: number, slot: number): void {
    const segment = this.#segments[hash >>> SEGMENT_SHIFT]!;
    const { slots, mask } = segment;
    let place = hash & mask;
    while (slots[place] !== slot + 1) {
      assert(slots[place] !== 0, 'a removed key was in the index', { slot });
      place = (place + 1) & mask;
    }
    this.#closeGap(segment, place);
    segment.used -= 1;
    this.#size -= 1;
  }

  #closeGap(segment: Segment, gap: number): void {
    const { slots, tags, mask } = segment;
    let hole = gap;
    for (let place = (hole + 1) & mask; slots[place] !== 0; place = (place + 1) & mask) {
      const home = this.#source.hashOf(slots[place]! - 1) & mask;
      // A follower moves back unless its home lies after the hole: moving it would put it before its home.
      if (((place - home) & mask) < ((place - hole) & mask)) continue;
      slots[hole] = slots[place]!;
      tags[hole] = tags[place]!;
      hole = place;
    }
    slots[hole] = 0;
  }

  #grow(segment: Segment): void {
    const { slots } = segment;
    segment.slots = new Int32Array(slots.length * 2);
    segment.tags = new Uint8Array(slots.length * 2);
    segment.mask = segment.slots.length - 1;
    for (const kept of slots) if (kept !== 0) put(segment, this.#source.hashOf(kept - 1), kept - 1);
  }
}

function put(segment: Segment, hash: number, slot: number): void {
  const { slots, mask } = segment;
  let place = hash & mask;
  while (slots[place] !== 0) place = (place + 1) & mask;
  slots[place] = slot + 1;
  segment.tags[place] = tagOf(hash);
}

/** Bits that choose neither the segment nor, in segments of up to 2^18 places, the place. */
function tagOf(hash: number): number {
  return (hash >>> 18) & 0xff;
}
