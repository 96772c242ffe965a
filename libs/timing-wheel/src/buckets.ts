// The buckets of the wheel: intrusive doubly linked lists of ids, with the occupancy of the levels and a bound per bucket.
//
// Owns: links, heads, tails, occupancy, bounds.      Does not own: deadlines, and which bucket an id belongs in (TimingWheel).
//
// Invariants
//   B1  An id is in at most one bucket; only ids that are may be taken out.
//   B2  Both ends of a list point at the bucket, as ~bucket (negative), so taking an id out needs no record of where it is.
//       An empty bucket's head and tail are its own ~bucket.
//   B3  A bucket is marked occupied exactly while it is not empty.
//   B4  bound(bucket) <= every deadline its ids were put in with; it is exact until one is taken out.
import { LEVEL_BUCKETS } from './levels.ts';
import { Occupancy } from './occupancy.ts';

export class Buckets {
  readonly #heads: Int32Array;
  readonly #tails: Int32Array;
  readonly #bounds: Float64Array;
  readonly #occupancy: Occupancy;
  /** By id: previous, next. Side by side, since whoever reads one reads the other: one cache line instead of two. */
  #links: Int32Array;

  /** The buckets of the levels and `extra` more behind them, for `capacity` ids. */
  constructor(extra: number, capacity: number) {
    const buckets = LEVEL_BUCKETS + extra;
    this.#heads = new Int32Array(buckets);
    this.#tails = new Int32Array(buckets);
    this.#bounds = new Float64Array(buckets);
    this.#occupancy = new Occupancy(buckets);
    this.#links = new Int32Array(2 * capacity);
    this.clear();
  }

  isEmpty(bucket: number): boolean {
    return this.#heads[bucket]! < 0;
  }

  /** The id longest in the bucket; negative if it is empty. */
  first(bucket: number): number {
    return this.#heads[bucket]!;
  }

  /** No deadline in the bucket is earlier. Infinity if it is empty. */
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
    this.#links[2 * id] = tail;
    this.#links[2 * id + 1] = ~bucket;
    this.#tails[bucket] = id;
    if (tail >= 0) {
      this.#links[2 * tail + 1] = id;
      if (deadline < this.#bounds[bucket]!) this.#bounds[bucket] = deadline;
      return;
    }
    this.#heads[bucket] = id;
    this.#bounds[bucket] = deadline;
    this.#occupancy.mark(bucket);
  }

  take(id: number): void {
    const prev = this.#links[2 * id]!;
    const next = this.#links[2 * id + 1]!;
    if (prev < 0) this.#heads[~prev] = next;
    else this.#links[2 * prev + 1] = next;
    if (next < 0) this.#tails[~next] = prev;
    else this.#links[2 * next] = prev;
    if (prev < 0 && next < 0) this.#occupancy.unmark(~prev);
  }

  /** Appends the whole of `from` to `to`, leaving `from` empty. O(1): only the ends of a list name their bucket. */
  moveAll(from: number, to: number): void {
    const first = this.#heads[from]!;
    if (first < 0) return;
    const last = this.#tails[from]!;
    const before = this.#tails[to]!;
    this.#bounds[to] = Math.min(this.bound(to), this.#bounds[from]!);
    this.#links[2 * first] = before;
    if (before < 0) this.#heads[to] = first;
    else this.#links[2 * before + 1] = first;
    this.#links[2 * last + 1] = ~to;
    this.#tails[to] = last;
    this.#heads[from] = ~from;
    this.#tails[from] = ~from;
    this.#occupancy.unmark(from);
    this.#occupancy.mark(to);
  }

  grow(capacity: number): void {
    const larger = new Int32Array(2 * capacity);
    larger.set(this.#links);
    this.#links = larger;
  }

  clear(): void {
    for (let bucket = 0; bucket < this.#heads.length; bucket += 1) {
      this.#heads[bucket] = ~bucket;
      this.#tails[bucket] = ~bucket;
    }
    this.#occupancy.clear();
  }
}
