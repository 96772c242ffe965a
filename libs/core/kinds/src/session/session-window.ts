// How a session lies in its entry: the numbers of a bare heartbeat in the head, those of its events in a row, texts in the state.
//
// A detail as an object, with a sequence window as another and boxed numbers in both, would cost each event half a dozen waits
// for memory one after another, and the garbage collector a look at every session there is.
import type { DurationMs, Millis } from '@flatline/base';
import { type EntryMemory, EntryWindow, KIND_FLAG } from '../entry-window.ts';
import type { DecodedNumbers, SessionDetail } from './detail.ts';
import { DetailWindow } from './detail-window.ts';
import type { SessionEntry } from './entry.ts';

/** The flag: an event chose the timeout (S7). */
const TIMEOUT_CHOSEN = KIND_FLAG;

/** Why the indices are literals: EntryWindow. */
export class SessionWindow extends EntryWindow implements SessionEntry {
  readonly #detail: DetailWindow;

  constructor(memory: EntryMemory) {
    super(memory);
    this.#detail = new DetailWindow(memory);
  }

  get openedAt(): Millis {
    return this.f64[this.f]!;
  }
  set openedAt(value: Millis) {
    this.f64[this.f] = value;
  }

  get lastSeenAt(): Millis {
    return this.f64[this.f + 1]!;
  }
  set lastSeenAt(value: Millis) {
    this.f64[this.f + 1] = value;
  }

  get firstOffset(): number {
    return this.f64[this.f + 2]!;
  }
  set firstOffset(value: number) {
    this.f64[this.f + 2] = value;
  }

  get lastOffset(): number {
    return this.f64[this.f + 3]!;
  }
  set lastOffset(value: number) {
    this.f64[this.f + 3] = value;
  }

  get timeoutMs(): DurationMs {
    return this.f64[this.f + 4]!;
  }
  set timeoutMs(value: DurationMs) {
    this.f64[this.f + 4] = value;
  }

  get eventCount(): number {
    return this.i32[this.i + 10]! >>> 0;
  }
  set eventCount(value: number) {
    this.i32[this.i + 10] = value;
  }

  get timeoutChosen(): boolean {
    return this.flag(TIMEOUT_CHOSEN);
  }
  set timeoutChosen(value: boolean) {
    this.setFlag(TIMEOUT_CHOSEN, value);
  }

  /** A window on it, valid until this one or the detail is another. What is set is copied. */
  get detail(): SessionDetail | undefined {
    return this.hasRow ? this.#detail.at(this.slot) : undefined;
  }
  set detail(value: SessionDetail | undefined) {
    if (value === undefined) {
      if (this.hasRow) this.#forgetDetail();
      return;
    }
    this.#rowed().set(value);
  }

  /** True if it has no state. One look at its row: each entry that a commit writes is asked. */
  get hasNumbersOnly(): boolean {
    return !this.hasRow || this.#detail.at(this.slot).hasNumbersOnly;
  }

  /** True if disorder has left anything beside the session (C7). */
  get hasDisorder(): boolean {
    return this.hasRow && this.#detail.at(this.slot).hasDisorder;
  }

  /** Makes all of the detail but what lies in the state what `numbers` says. */
  restoreDetail(numbers: DecodedNumbers): void {
    this.#rowed().restore(numbers);
  }

  /** Its window; of an entry that had none, nothing is set. */
  #rowed(): DetailWindow {
    const had = this.hasRow;
    if (!had) this.takeRow();
    const detail = this.#detail.at(this.slot);
    if (!had) detail.clear();
    return detail;
  }

  #forgetDetail(): void {
    this.releaseRow();
    this.memory.states.clear(this.slot);
  }
}
