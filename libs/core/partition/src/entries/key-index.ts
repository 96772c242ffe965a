// From key bytes to slot number: open addressing in lines of 16 places, in segments that split when they are full.
//
// A segment is chosen by the top bits of the hash, through a directory (extendible hashing: Fagin, Nievergelt, Pippenger,
// Strong, ACM TODS 1979). Growing splits one segment at a time, so it moves a few thousand places and never stops the loop
// for long, and nothing is left over to be freed.
//
// A place is four bytes: a slot number and six bits of the hash, so that one key in a hundred looked at is a wrong one. A line
// of 16 is a cache line, and each keeps count of the keys that found it full and went on to the next, so that removing a key
// empties its place and moves no other key (folly's 14-way tables: Bronson, Shi, Facebook 2019). Splitting needs one more bit
// of each key's hash, which its entry has, and the whole of it only for the few that are not in their home line.
//
// Owns: places, the directory.
// Does not own: keys (asked for through KeySource), slot numbers.
//
// Invariants
//   KI1  A key is in its home line or, being marked as displaced, in a line that all before it, from its home on, count it for.
//        A count that has reached its greatest value stays there until the segment splits: it may say too many, never too few.
//   KI2  No segment is fuller than seven tenths: beyond, too many keys lie in another line than their own.
//   KI3  All hashes in a segment share its first `depth` bits, and the directory leads from each such prefix to it.
//
// Checked
//   inspect   KI1, KI2, KI3
import { assert, GrowingMemory } from '@flatline/base';

export interface KeySource {
  /** True if the key of `slot` equals what the view shows from `start` on. */
  matches(slot: number, view: DataView, start: number, length: number): boolean;
  /** The hash that the slot was inserted with. */
  hashOf(slot: number): number;
  /** The first HASH_START_BITS of the hash of each of `count` slots, at their place in it. The waits for memory overlap. */
  hashStartsOf(slots: Int32Array, count: number, into: Int32Array): void;
}

/** Bits of a place: the slot number + 1, 0 being an empty place; whether the key is not in its home line; bits of its hash. */
const SLOT_BITS = 2 ** 25 - 1;
const DISPLACED = 2 ** 25;
const TAG_SHIFT = 26;
const TAG_BITS = -1 << TAG_SHIFT;
/** Slot numbers that fit a place. */
export const SLOTS_MAX = SLOT_BITS;

/** Hash bits that choose a segment, at most: segments for 53 million keys, of the size below. */
export const HASH_START_BITS = 12;
const SEGMENTS_MAX = 2 ** HASH_START_BITS;

const SEGMENT_SHIFT = 14;
const SEGMENT_PLACES = 1 << SEGMENT_SHIFT;
const PLACE_MASK = SEGMENT_PLACES - 1;
const LINE_SHIFT = 4;
const LINE_PLACES = 1 << LINE_SHIFT;
const WITHIN_LINE = LINE_PLACES - 1;
const SEGMENT_LINES = SEGMENT_PLACES / LINE_PLACES;
const PASSED_ON_MAX = 255;
const USED_MAX = Math.floor(SEGMENT_PLACES * 0.7);
/** Places used of a segment made beforehand, so that a key more here or there splits none. */
const RESERVED_USED_MAX = USED_MAX * 0.95;

/** Places in use that a split gathers from a segment, with their slots and the hash starts of those. One split at a time. */
const splitting = {
  at: new Int32Array(SEGMENT_PLACES + 1),
  slots: new Int32Array(SEGMENT_PLACES + 1),
  starts: new Int32Array(SEGMENT_PLACES),
};

export class KeyIndex {
  readonly #source: KeySource;
  readonly #placeMemory = new GrowingMemory(SEGMENTS_MAX * SEGMENT_PLACES * 4);
  readonly #lineMemory = new GrowingMemory(SEGMENTS_MAX * SEGMENT_LINES);
  #places = new Int32Array(this.#placeMemory.buffer, 0, 0);
  /** By line: how many keys found it full. */
  #passedOn = new Uint8Array(this.#lineMemory.buffer, 0, 0);
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

  /** Makes the segments that so many keys need, before the first one: none of them is then split on the way there. */
  reserve(keys: number): void {
    assert(this.#size === 0, 'room is made before the first key', { size: this.#size });
    let depth = this.#depth;
    while (depth < HASH_START_BITS && keys > RESERVED_USED_MAX * 2 ** depth) depth += 1;
    if (depth === this.#depth) return;
    this.#depth = depth;
    this.#depths.fill(depth);
    while (this.#depths.length < 2 ** depth) this.#newSegment(depth);
    this.#directory = Int32Array.from({ length: 2 ** depth }, (_, number) => number << SEGMENT_SHIFT);
  }

  /** The slot of a key, or −1. `hash` is that of the key's bytes, signed. */
  find(hash: number, view: DataView, start: number, length: number): number {
    const places = this.#places;
    const segment = this.#segmentOf(hash);
    const tag = tagOf(hash);
    const first = hash & WITHIN_LINE;
    let line = homeLineOf(hash);
    for (let lines = 0; lines < SEGMENT_LINES; lines += 1) {
      for (let step = 0; step < LINE_PLACES; step += 1) {
        const place = places[segment + line + ((first + step) & WITHIN_LINE)]!;
        if ((place & TAG_BITS) !== tag || place === 0) continue;
        const slot = slotIn(place);
        if (this.#source.matches(slot, view, start, length)) return slot;
      }
      if (this.#passedOn[(segment + line) >>> LINE_SHIFT] === 0) break;
      line = nextLine(line);
    }
    return -1;
  }

  /**
   * For each hash the slot of a key that may have it, or −1; there may be one where it says −1. In two passes: the first waits
   * for all the places at once, so that the second, whose probing depends on what is there, waits for none.
   */
  likelySlots(hashes: Int32Array, count: number, slots: Int32Array): void {
    const places = this.#places;
    const directory = this.#directory;
    const shift = 32 - this.#depth;
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i]!;
      slots[i] = places[directory[hash >>> shift]! + (hash & PLACE_MASK)]!;
    }
    for (let i = 0; i < count; i += 1) {
      const hash = hashes[i]!;
      const tag = tagOf(hash);
      const line = directory[hash >>> shift]! + homeLineOf(hash);
      let place = slots[i]!;
      for (let step = 1; (place & TAG_BITS) !== tag || place === 0; step += 1) {
        place = 0;
        if (step === LINE_PLACES) break;
        place = places[line + ((hash + step) & WITHIN_LINE)]!;
      }
      slots[i] = slotIn(place);
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
    const segment = this.#segmentOf(hash);
    let line = homeLineOf(hash);
    let at = this.#placeOf(slot, segment + line);
    for (let lines = 1; at < 0; lines += 1) {
      assert(lines < SEGMENT_LINES, 'a removed key was in the index', { slot });
      this.#countPassing(segment + line, -1);
      line = nextLine(line);
      at = this.#placeOf(slot, segment + line);
    }
    this.#places[at] = 0;
    this.#used[segment >>> SEGMENT_SHIFT]! -= 1;
    this.#size -= 1;
  }

  /** Lists violations of the invariants, in words. O(places), changes nothing. For checks. */
  inspect(): string[] {
    const faults = this.#inspectDirectory();
    const seen = new Set<number>();
    this.#used.forEach((used, number) => {
      if (used > USED_MAX) faults.push(`KI2: segment ${number} has ${used} places in use`);
      faults.push(...this.#inspectSegment(number, seen));
    });
    if (seen.size !== this.#size) faults.push(`KI1: ${seen.size} slots are in places, ${this.#size} keys in the index`);
    return faults;
  }

  #inspectDirectory(): string[] {
    const faults: string[] = [];
    for (let prefix = 0, number = -1; prefix < this.#directory.length; prefix += 1) {
      const before = number;
      number = this.#directory[prefix]! >>> SEGMENT_SHIFT;
      const span = 1 << (this.#depth - this.#depths[number]!);
      const isFirst = prefix % span === 0;
      if (isFirst === (number === before)) faults.push(`KI3: prefix ${prefix} leads to segment ${number} of ${span}`);
    }
    return faults;
  }

  /** Adds the slots in its places to `seen`. */
  #inspectSegment(number: number, seen: Set<number>): string[] {
    const faults: string[] = [];
    const segment = number << SEGMENT_SHIFT;
    const places = this.#places.subarray(segment, segment + SEGMENT_PLACES);
    const passed = new Uint32Array(SEGMENT_LINES);
    let used = 0;
    for (let at = 0; at < SEGMENT_PLACES; at += 1) {
      const place = places[at]!;
      if (place === 0) continue;
      used += 1;
      const slot = slotIn(place);
      const hash = this.#source.hashOf(slot);
      if (seen.has(slot)) faults.push(`KI1: slot ${slot} is in two places`);
      seen.add(slot);
      if (this.#segmentOf(hash) !== segment) faults.push(`KI3: slot ${slot} is in segment ${number}, which is not its`);
      const line = at & ~WITHIN_LINE;
      const isDisplaced = homeLineOf(hash) !== line;
      if ((place & TAG_BITS) !== tagOf(hash) || isDisplaced !== ((place & DISPLACED) !== 0))
        faults.push(`KI1: slot ${slot} is in line ${line}, and its place says otherwise`);
      for (let from = homeLineOf(hash); from !== line; from = nextLine(from)) passed[from >>> LINE_SHIFT]! += 1;
    }
    if (used !== this.#used[number])
      faults.push(`KI2: segment ${number} has ${used} places in use, not ${this.#used[number]}`);
    const passedOn = this.#passedOn.subarray(segment >>> LINE_SHIFT);
    for (let line = 0; line < SEGMENT_LINES; line += 1)
      if (passedOn[line] !== passed[line] && passedOn[line] !== PASSED_ON_MAX)
        faults.push(
          `KI1: line ${line} of segment ${number} counts ${passedOn[line]} keys that went on, ${passed[line]} did`,
        );
    return faults;
  }

  #segmentOf(hash: number): number {
    return this.#directory[hash >>> (32 - this.#depth)]!;
  }

  #put(segment: number, hash: number, slot: number): void {
    const first = hash & WITHIN_LINE;
    let place = (slot + 1) | tagOf(hash);
    let line = homeLineOf(hash);
    let at = this.#emptyIn(segment + line, first);
    while (at < 0) {
      this.#countPassing(segment + line, 1);
      place |= DISPLACED;
      line = nextLine(line);
      at = this.#emptyIn(segment + line, first);
    }
    this.#places[at] = place;
    this.#used[segment >>> SEGMENT_SHIFT]! += 1;
  }

  #countPassing(line: number, by: number): void {
    const number = line >>> LINE_SHIFT;
    if (this.#passedOn[number]! < PASSED_ON_MAX) this.#passedOn[number]! += by;
  }

  /** Index of the first empty place of a line, going round from its place `first`; −1: it is full. */
  #emptyIn(line: number, first: number): number {
    for (let step = 0; step < LINE_PLACES; step += 1) {
      const at = line + ((first + step) & WITHIN_LINE);
      if (this.#places[at] === 0) return at;
    }
    return -1;
  }

  /** Index of the slot's place in a line; −1: it is not there. */
  #placeOf(slot: number, line: number): number {
    for (let at = line; at < line + LINE_PLACES; at += 1) if (slotIn(this.#places[at]!) === slot) return at;
    return -1;
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
    const displaced = this.#moveHalf(segment, sibling, 1 << (32 - depth));
    for (const slot of displaced) {
      const own = this.#source.hashOf(slot);
      this.#put(this.#segmentOf(own), own, slot);
    }
  }

  /** Slots in their home line keep their place. The others are taken out and returned: they may find room at home now. */
  #moveHalf(segment: number, sibling: number, bit: number): readonly number[] {
    const places = this.#places;
    const displaced: number[] = [];
    // All are asked for their half before any is moved: it is as good as random, so a branch on each would wait for its entry.
    const { at, slots, starts } = splitting;
    let count = 0;
    for (let place = segment; place < segment + SEGMENT_PLACES; place += 1) {
      const kept = places[place]!;
      at[count] = place;
      slots[count] = slotIn(kept);
      if (kept !== 0) count += 1;
    }
    this.#source.hashStartsOf(slots, count, starts);
    let moved = 0;
    for (let i = 0; i < count; i += 1) {
      const from = at[i]!;
      const place = places[from]!;
      const isDisplaced = (place & DISPLACED) !== 0;
      if (isDisplaced) displaced.push(slotIn(place));
      else if ((starts[i]! & bit) === 0) continue;
      else places[from - segment + sibling] = place;
      places[from] = 0;
      moved += 1;
    }
    this.#passedOn.fill(0, segment >>> LINE_SHIFT, (segment + SEGMENT_PLACES) >>> LINE_SHIFT);
    this.#used[segment >>> SEGMENT_SHIFT]! -= moved;
    this.#used[sibling >>> SEGMENT_SHIFT]! += moved - displaced.length;
    return displaced;
  }

  #doubleDirectory(): void {
    // Keys are hashed with a secret seed: so many in one segment would take billions of them.
    assert(this.#depth < HASH_START_BITS, 'the keys of a partition spread over its segments', { keys: this.#size });
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
      this.#placeMemory.grow(end * 4);
      this.#places = new Int32Array(this.#placeMemory.buffer, 0, this.#placeMemory.buffer.byteLength / 4);
      this.#lineMemory.grow(this.#places.length / LINE_PLACES);
      this.#passedOn = new Uint8Array(this.#lineMemory.buffer, 0, this.#lineMemory.buffer.byteLength);
    }
    return number << SEGMENT_SHIFT;
  }
}

/** The lowest bits of the hash, those that choose no segment, say where looking begins: the line, and the place in it. */
function homeLineOf(hash: number): number {
  return hash & (PLACE_MASK & ~WITHIN_LINE);
}

function nextLine(line: number): number {
  return (line + LINE_PLACES) & PLACE_MASK;
}

/** The bits of the hash above those, as they stand in a place. */
function tagOf(hash: number): number {
  return (hash << (TAG_SHIFT - SEGMENT_SHIFT)) & TAG_BITS;
}

/** −1 in an empty place. */
function slotIn(place: number): number {
  return (place & SLOT_BITS) - 1;
}
