// How a window of items lies in its entry: the numbers that each item changes in the head, the items in the state. Where one has
// fired and is not all said, its numbers are in a row, and its items in the state before those of the window that is open.
import type { DurationMs, Millis } from '@flatline/base';
import { type EntryMemory, EntryWindow, LINE_F64_SHIFT, type StateWindow } from '../entry-window.ts';

/** Items and bytes share a number of 53 bits: bytes above so many items. */
export const COUNT_SPACE = 2 ** 21;
export const BYTES_SPACE = 2 ** 32;
/** So do bytes in batches, below the number of the window's form. */
export const BATCH_BYTES_SPACE = 2 ** 28;

/** A window that has fired, and of which records are not said yet. */
export interface OwedWindow {
  /** Bytes of the state that are its. */
  readonly stateBytes: number;
  readonly firstOffset: number;
  readonly firedAt: Millis;
  readonly count: number;
  readonly valueBytes: number;
  readonly batchBytes: number;
  readonly form: number;
  /** Number of the reason (owed-windows.ts). */
  readonly reason: number;
  /** Progress of what is said (FiredWindow). */
  readonly progress: number;
  /** Number of what is said behind it (owed-windows.ts). */
  readonly next: number;
}

// Index of each in the row.
const OWED_FIELDS = [
  'stateBytes',
  'firstOffset',
  'firedAt',
  'count',
  'valueBytes',
  'batchBytes',
  'how',
  'progress',
] as const;
/** Form, reason, and what comes next share a number. */
const FORM_SPACE = 16;
const REASON_SPACE = 16;

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

  /** The items (window-items.ts): from `openStart` on those of the window that is open. */
  get state(): StateWindow {
    return this.#state.at(this.slot);
  }

  get openStart(): number {
    return this.hasRow ? this.#owedNumber(0) : 0;
  }

  /** Otherwise it only owes. */
  get isOpen(): boolean {
    return this.stateLength > this.openStart;
  }

  /** `OwedWindow.next`, where something is owed: each item asks for it, and `owed` makes an object of all numbers. */
  get owedNext(): number {
    return Math.floor(this.#owedNumber(6) / (FORM_SPACE * REASON_SPACE));
  }

  get owed(): OwedWindow | undefined {
    if (!this.hasRow) return undefined;
    const [stateBytes, firstOffset, firedAt, count, valueBytes, batchBytes, how, progress] = OWED_FIELDS.map((_, i) =>
      this.#owedNumber(i),
    ) as [number, number, number, number, number, number, number, number];
    const reasons = Math.floor(how / FORM_SPACE);
    const said = { form: how % FORM_SPACE, reason: reasons % REASON_SPACE, next: this.owedNext };
    return { stateBytes, firstOffset, firedAt, count, valueBytes, batchBytes, progress, ...said };
  }
  set owed(owed: OwedWindow | undefined) {
    if (owed === undefined) {
      if (this.hasRow) this.releaseRow();
      return;
    }
    if (!this.hasRow) this.takeRow();
    const numbers = { ...owed, how: (owed.next * REASON_SPACE + owed.reason) * FORM_SPACE + owed.form };
    const at = this.#rowStart;
    OWED_FIELDS.forEach((field, i) => {
      this.memory.rows.f64[at + i] = numbers[field];
    });
  }

  get #rowStart(): number {
    return this.memory.rows.rowOf[this.slot]! << LINE_F64_SHIFT;
  }

  #owedNumber(field: number): number {
    return this.memory.rows.f64[this.#rowStart + field]!;
  }
}
