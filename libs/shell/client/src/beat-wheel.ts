// Schedules beats: a ring of slots, one turn of which takes as long as a beat may be late.
//
// Owns: the slot of each item.
// Does not own: the time, the randomness, what an item is.
//
// Invariants
//   BW1  An item is in one slot at most, and `remove` finds it there.
//   BW2  An item added `ahead` slots is due with the `ahead`th turn from now.

/** A turn lasts a SLOTS-th of the longest time between two beats: fine enough to spread thousands, and few timers. */
export const SLOTS = 64;

export class BeatWheel<Item> {
  readonly #slots: readonly Set<Item>[] = Array.from({ length: SLOTS }, () => new Set<Item>());
  readonly #places = new Map<Item, Set<Item>>();
  #at = 0;

  get size(): number {
    return this.#places.size;
  }

  has(item: Item): boolean {
    return this.#places.has(item);
  }

  /** @param ahead from 1 to SLOTS. */
  add(item: Item, ahead: number): void {
    this.remove(item);
    const slot = this.#slots[(this.#at + Math.min(SLOTS, Math.max(1, ahead))) % SLOTS]!;
    slot.add(item);
    this.#places.set(item, slot);
  }

  remove(item: Item): void {
    this.#places.get(item)?.delete(item);
    this.#places.delete(item);
  }

  /** Items due with the next slot; they have left the wheel. */
  turn(): readonly Item[] {
    this.#at = (this.#at + 1) % SLOTS;
    const due = [...this.#slots[this.#at]!];
    for (const item of due) this.remove(item);
    return due;
  }
}
