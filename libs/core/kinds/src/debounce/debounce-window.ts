// How a window of items lies in its entry: the numbers that each item changes in the head, the items in the state.
import type { DurationMs, Millis } from '@flatline/base';
import { type EntryMemory, EntryWindow, type StateWindow } from '../entry-window.ts';

/** Items and bytes share a number of 53 bits: bytes above so many items. */
export const COUNT_SPACE = 2 ** 21;
export const BYTES_SPACE = 2 ** 32;
/** So do bytes in batches, below the number of the window's form. */
export const BATCH_BYTES_SPACE = 2 ** 28;

/** Why the indices are literals: EntryWindow. */
export class DebounceWindow extends EntryWindow {
  readonly #state: StateWindow;

  constructor(memory: EntryMemory) {
    super(memory);
    this.#state = memory.stateWindow();
  }

  /** From when `waitMs` runs: the last item, or in mode `window` the first. */
  get waitsFrom(): Millis {
    return this.f64[this.f]!;
  }
  set waitsFrom(value: Millis) {
    this.f64[this.f] = value;
  }

  get waitMs(): DurationMs {
    return this.f64[this.f + 1]!;
  }
  set waitMs(value: DurationMs) {
    this.f64[this.f + 1] = value;
  }

  /** The instant that bounds it; 0: none does. */
  get maxEndAt(): Millis {
    return this.f64[this.f + 2]!;
  }
  set maxEndAt(value: Millis) {
    this.f64[this.f + 2] = value;
  }

  /** Where the item lies that opened the window. */
  get firstOffset(): number {
    return this.f64[this.f + 3]!;
  }
  set firstOffset(value: number) {
    this.f64[this.f + 3] = value;
  }

  /** Items that wait. */
  get count(): number {
    return this.f64[this.f + 4]! % COUNT_SPACE;
  }

  /** Bytes of their values. */
  get valueBytes(): number {
    return Math.floor(this.f64[this.f + 4]! / COUNT_SPACE);
  }

  holds(count: number, valueBytes: number): void {
    this.f64[this.f + 4] = valueBytes * COUNT_SPACE + count;
  }

  /** At most what they take in a batch. */
  get batchBytes(): number {
    return (this.i32[this.i + 10]! >>> 0) % BATCH_BYTES_SPACE;
  }

  /** Number of its form (window-form.ts). */
  get form(): number {
    return Math.floor((this.i32[this.i + 10]! >>> 0) / BATCH_BYTES_SPACE);
  }

  takes(batchBytes: number, form: number): void {
    this.i32[this.i + 10] = form * BATCH_BYTES_SPACE + batchBytes;
  }

  /** The items (window-items.ts). */
  get state(): StateWindow {
    return this.#state.at(this.slot);
  }
}
