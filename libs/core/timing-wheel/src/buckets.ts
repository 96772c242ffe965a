// The buckets of the wheel: intrusive doubly linked lists of ids, with the occupancy of the levels and a bound per bucket.
//
// Owns: links, heads, tails, occupancy, bounds.
// Does not own: deadlines, and which bucket an id belongs in (TimingWheel).
//
// Invariants
//   BU1  An id is in at most one bucket; only ids that are may be taken out.
//   BU2  Both ends of a list point at the bucket, as ~bucket (negative), so taking an id out needs no record of where it is.
//        An empty bucket's head and tail are its own ~bucket.
//   BU3  A bucket is marked occupied exactly while it is not empty.
//   BU4  bound(bucket) <= every deadline its ids were put in with; it is exact until one is taken out.
//   BU5  A link is id + 1, or ~bucket. So it is never 0 of an id that is in a bucket, and always 0 of any other: memory never
//        written to says of its ids that they are in none.
//
// Checked
//   inspect   BU1, BU2, BU3, BU4, BU5
//             Of BU4 only what still shows: the deadlines that ids were put in with are not kept, and never later than they are now.
import { GrowingMemory } from '@flatline/base';
import { LEVEL_BUCKETS } from './levels.ts';
import { Occupancy } from './occupancy.ts';

/** Bounds the addresses that are reserved for links: half a GiB. */
export const ID_MAX = 2 ** 26 - 1;
const ID_BYTES = 8;

export class Buckets {
  readonly #heads: Int32Array;
  readonly #tails: Int32Array;
  readonly #bounds: Float64Array;
  readonly #occupancy: Occupancy;
  readonly #memory = new GrowingMemory((ID_MAX + 1) * ID_BYTES);
  /** By id: previous, next. Side by side, since they are read together: one cache line instead of two. */
  #links = new Int32Array(this.#memory.buffer, 0, 0);

  /** The buckets of the levels and `extra` more behind them, for `capacity` ids. */
  constructor(extra: number, capacity: number) {
    const buckets = LEVEL_BUCKETS + extra;
    this.#heads = new Int32Array(buckets);
    this.#tails = new Int32Array(buckets);
    this.#bounds = new Float64Array(buckets);
    this.#occupancy = new Occupancy(buckets);
    this.grow(capacity);
    this.clear();
  }

  /** Ids below have room. */
  get capacity(): number {
    return this.#links.length >>> 1;
  }

  /** True if `id` is in a bucket. */
  has(id: number): boolean {
    return id < this.capacity && this.#links[2 * id] !== 0;
  }

  isEmpty(bucket: number): boolean {
    return this.#heads[bucket]! < 0;
  }

  /** Returns the id longest in the bucket; negative if it is empty. */
  first(bucket: number): number {
    return this.#heads[bucket]! - 1;
  }

  /** Returns the id that came last; negative if the bucket is empty. */
  last(bucket: number): number {
    return this.#tails[bucket]! - 1;
  }

  /** Returns the id after one that is in a bucket; negative behind the last. */
  next(id: number): number {
    return this.#links[2 * id + 1]! - 1;
  }

  /** Returns a lower bound on the deadlines in the bucket; Infinity if it is empty. */
  bound(bucket: number): number {
    return this.isEmpty(bucket) ? Infinity : this.#bounds[bucket]!;
  }

  isLevelEmpty(level: number): boolean {
    return this.#occupancy.isLevelEmpty(level);
  }

  /** Index of the first occupied slot of a level that is not empty, going round from index `from`, itself included. */
  firstOccupied(level: number, from: number): number {
    return this.#occupancy.firstFrom(level, from);
  }

  put(id: number, bucket: number, deadline: number): void {
    const tail = this.#tails[bucket]!;
    const link = id + 1;
    this.#links[2 * id] = tail;
    this.#links[2 * id + 1] = ~bucket;
    this.#tails[bucket] = link;
    if (tail > 0) {
      this.#links[nextAt(tail)] = link;
      if (deadline < this.#bounds[bucket]!) this.#bounds[bucket] = deadline;
      return;
    }
    this.#heads[bucket] = link;
    this.#bounds[bucket] = deadline;
    this.#occupancy.mark(bucket);
  }

  take(id: number): void {
    const prev = this.#links[2 * id]!;
    const next = this.#links[2 * id + 1]!;
    this.#links[2 * id] = 0;
    this.#links[2 * id + 1] = 0;
    if (prev < 0) this.#heads[~prev] = next;
    else this.#links[nextAt(prev)] = next;
    if (next < 0) this.#tails[~next] = prev;
    else this.#links[previousAt(next)] = prev;
    if (prev < 0 && next < 0) this.#occupancy.unmark(~prev);
  }

  /** Appends the whole of `from` to `to`, leaving `from` empty. O(1): only the ends of a list name their bucket. */
  moveAll(from: number, to: number): void {
    const first = this.#heads[from]!;
    if (first < 0) return;
    const last = this.#tails[from]!;
    const before = this.#tails[to]!;
    this.#bounds[to] = Math.min(this.bound(to), this.#bounds[from]!);
    this.#links[previousAt(first)] = before;
    if (before < 0) this.#heads[to] = first;
    else this.#links[nextAt(before)] = first;
    this.#links[nextAt(last)] = ~to;
    this.#tails[to] = last;
    this.#heads[from] = ~from;
    this.#tails[from] = ~from;
    this.#occupancy.unmark(from);
    this.#occupancy.mark(to);
  }

  /** Makes room for ids below `capacity`. */
  grow(capacity: number): void {
    this.#memory.grow(capacity * ID_BYTES);
    const { buffer } = this.#memory;
    this.#links = new Int32Array(buffer, 0, buffer.byteLength / Int32Array.BYTES_PER_ELEMENT);
  }

  /**
   * Lists violations of the invariants, in words. `deadlineOf`: the present deadline of an id; no id from `idsEnd` on was ever
   * put in. O(`idsEnd` + buckets), changes nothing. For checks.
   */
  inspect(deadlineOf: (id: number) => number, idsEnd = this.capacity): string[] {
    const faults: string[] = [];
    const end = Math.min(idsEnd, this.capacity);
    const seen = new Uint8Array(end);
    for (let bucket = 0; bucket < this.#heads.length; bucket += 1) {
      const isEmpty = this.#heads[bucket] === ~bucket && this.#tails[bucket] === ~bucket;
      if (this.#occupancy.isMarked(bucket) === isEmpty)
        faults.push(`BU3: bucket ${bucket} is marked as if it were ${isEmpty ? 'occupied' : 'empty'}`);
      if (isEmpty) continue;
      const bound = this.bound(bucket);
      let link = ~bucket;
      // Ends in a circle, too: its second time round finds what was seen.
      for (let next = this.#heads[bucket]!; next > 0; next = this.#links[nextAt(link)]!) {
        const id = next - 1;
        if (seen[id] !== 0) return [...faults, `BU1: id ${id} is met a second time, in bucket ${bucket}`];
        seen[id] = 1;
        if (this.#links[previousAt(next)] !== link) faults.push(`BU2: id ${id} is not linked to the one before it`);
        if (deadlineOf(id) < bound)
          faults.push(`BU4: id ${id} is due at ${deadlineOf(id)}, before ${bound} of its bucket`);
        link = next;
      }
      const last = link < 0 ? this.#heads[bucket] : this.#links[nextAt(link)];
      if (last !== ~bucket || this.#tails[bucket] !== link)
        faults.push(`BU2: the ends of bucket ${bucket} do not name it`);
    }
    if (!this.#occupancy.isSummed) faults.push('BU3: the bits of words are not those of their buckets');
    for (let id = 0; id < end; id += 1)
      if (seen[id] === 0 && (this.#links[2 * id] !== 0 || this.#links[2 * id + 1] !== 0))
        faults.push(`BU5: id ${id} is in no bucket and has links`);
    return faults;
  }

  clear(): void {
    for (let bucket = 0; bucket < this.#heads.length; bucket += 1) {
      this.#heads[bucket] = ~bucket;
      this.#tails[bucket] = ~bucket;
    }
    this.#occupancy.clear();
    this.#links.fill(0);
  }
}

/** Where the links lie of the id that a link names. */
function previousAt(link: number): number {
  return 2 * link - 2;
}

function nextAt(link: number): number {
  return 2 * link - 1;
}
