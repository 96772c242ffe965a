// A queue in log order whose items are found and taken by id, without a search through a long queue.
//
// Invariants
//   IQ1  The place of an item never changes, and later items have greater ones.
//   IQ2  `first` is the place of the first item; in an empty queue it equals `end`.

/** Up to this many items are searched through; more are found by an index. */
const LOOKED_THROUGH_MAX = 8;
/** Empty places tolerated in front, if they are not most of all. */
const EMPTY_MAX = 32;

export class IdQueue<Each extends object> {
  readonly #idsOf: (each: Each) => readonly string[];
  /** undefined: taken. */
  readonly #all: (Each | undefined)[] = [];
  /** The place of #all[0]. */
  #base = 0;
  #first = 0;
  #size = 0;
  #index: Map<string, number[]> | undefined;

  constructor(idsOf: (each: Each) => readonly string[]) {
    this.#idsOf = idsOf;
  }

  get size(): number {
    return this.#size;
  }

  get first(): number {
    return this.#first;
  }

  get end(): number {
    return this.#base + this.#all.length;
  }

  add(each: Each): void {
    if (this.#index !== undefined) this.#note(this.#index, each, this.end);
    this.#all.push(each);
    this.#size += 1;
  }

  /** undefined: no longer there. */
  at(place: number): Each | undefined {
    return this.#all[place - this.#base];
  }

  /** Place of the first item with that id; −1: none. */
  placeOf(id: string): number {
    if (this.#index === undefined && this.#all.length > LOOKED_THROUGH_MAX) this.#index = this.#indexed();
    if (this.#index !== undefined) return this.#index.get(id)?.[0] ?? -1;
    const at = this.#all.findIndex((each) => each !== undefined && this.#idsOf(each).includes(id));
    return at < 0 ? -1 : this.#base + at;
  }

  /** True if `one` is in the queue, and is `other` or precedes it. */
  isUpTo(one: string, other: string): boolean {
    const [place, end] = [this.placeOf(one), this.placeOf(other)];
    if (place < 0 || place !== end) return place >= 0 && place < end;
    const ids = this.#idsOf(this.at(place)!);
    return ids.indexOf(one) <= ids.indexOf(other);
  }

  /** Requires an item at `place`. */
  take(place: number): Each {
    const each = this.at(place)!;
    this.#all[place - this.#base] = undefined;
    this.#size -= 1;
    if (this.#index !== undefined) this.#unnote(this.#index, each, place);
    while (this.#first < this.end && this.at(this.#first) === undefined) this.#first += 1;
    const empty = this.#first - this.#base;
    if (this.#size === 0 || (empty > EMPTY_MAX && 2 * empty > this.#all.length)) {
      this.#all.splice(0, empty);
      this.#base = this.#first;
    }
    if (this.#size === 0) this.#index = undefined;
    return each;
  }

  all(): readonly Each[] {
    return this.#all.filter((each) => each !== undefined);
  }

  #indexed(): Map<string, number[]> {
    const index = new Map<string, number[]>();
    for (const [at, each] of this.#all.entries()) if (each !== undefined) this.#note(index, each, this.#base + at);
    return index;
  }

  #note(index: Map<string, number[]>, each: Each, place: number): void {
    for (const id of this.#idsOf(each)) {
      const places = index.get(id);
      if (places === undefined) index.set(id, [place]);
      else places.push(place);
    }
  }

  #unnote(index: Map<string, number[]>, each: Each, place: number): void {
    for (const id of this.#idsOf(each)) {
      const left = (index.get(id) ?? []).filter((one) => one !== place);
      if (left.length === 0) index.delete(id);
      else index.set(id, left);
    }
  }
}
