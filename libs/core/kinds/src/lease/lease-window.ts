// How a lease lies in its entry: the numbers of a renewal in the head, what bounds its time beside them in a row, who holds it
// and who waits in the state.
import type { DurationMs, Millis } from '@flatline/base';
import { type EntryMemory, EntryWindow, KIND_FLAG, LINE_F64_SHIFT, type StateWindow } from '../entry-window.ts';
import type { BytesSpan } from '../state-bytes.ts';

/** The flag: the lease has expired, and its lock delay runs (L6). */
const DELAYED = KIND_FLAG;

/** Why the indices are literals: EntryWindow. */
export class LeaseWindow extends EntryWindow {
  readonly #state: StateWindow;

  constructor(memory: EntryMemory) {
    super(memory);
    this.#state = memory.stateWindow();
  }

  get grantedAt(): Millis {
    return this.f64[this.f]!;
  }
  set grantedAt(value: Millis) {
    this.f64[this.f] = value;
  }

  /** Greatest effective time of a renewal; in a lock delay, when that ends. */
  get renewedAt(): Millis {
    return this.f64[this.f + 1]!;
  }
  set renewedAt(value: Millis) {
    this.f64[this.f + 1] = value;
  }

  get token(): number {
    return this.f64[this.f + 2]!;
  }
  set token(value: number) {
    this.f64[this.f + 2] = value;
  }

  get timeoutMs(): DurationMs {
    return this.f64[this.f + 3]!;
  }
  set timeoutMs(value: DurationMs) {
    this.f64[this.f + 3] = value;
  }

  /** As the rules were when it was granted; 0: none. */
  get maxDurationMs(): DurationMs {
    return this.hasRow ? this.memory.rows.f64[this.#rowStart]! : 0;
  }

  /** As the rules were when it was granted; 0: its deadlines are not rounded. */
  get bucketMs(): DurationMs {
    return this.hasRow ? this.memory.rows.f64[this.#rowStart + 1]! : 0;
  }

  setTerms(maxDurationMs: DurationMs, bucketMs: DurationMs): void {
    if (maxDurationMs === 0 && bucketMs === 0) {
      if (this.hasRow) this.releaseRow();
      return;
    }
    if (!this.hasRow) this.takeRow();
    this.memory.rows.f64[this.#rowStart] = maxDurationMs;
    this.memory.rows.f64[this.#rowStart + 1] = bucketMs;
  }

  /** When the first of the waiters has waited long enough; 0: none waits. */
  get nextWaitAt(): Millis {
    return this.f64[this.f + 4]!;
  }
  set nextWaitAt(value: Millis) {
    this.f64[this.f + 4] = value;
  }

  get renewals(): number {
    return this.i32[this.i + 10]! >>> 0;
  }
  set renewals(value: number) {
    this.i32[this.i + 10] = value;
  }

  get delayed(): boolean {
    return this.flag(DELAYED);
  }
  set delayed(value: boolean) {
    this.setFlag(DELAYED, value);
  }

  /** Who holds it and who waits (lease-state.ts). What is set is copied. */
  get state(): BytesSpan {
    return this.#state.at(this.slot);
  }
  set state(value: BytesSpan) {
    if (value.length > 0) this.#state.at(this.slot).set(value);
    else this.memory.states.clear(this.slot);
  }

  get #rowStart(): number {
    return this.memory.rows.rowOf[this.slot]! << LINE_F64_SHIFT;
  }
}
