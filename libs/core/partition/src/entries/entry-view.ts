import type { DurationMs, Millis } from '@flatline/base';
import type { SessionDetail, SessionEntry } from '@flatline/kinds';
import { type DetailRows, DetailView } from './detail-rows.ts';
import { DETAILED, type Entries, F64_SHIFT, I32_SHIFT, IN_FLIGHT, TIMEOUT_CHOSEN } from './entry-layout.ts';
import { type KeyArena, startOf } from './key-arena.ts';

/** A window on one entry of a table, moved with `at`. Valid until the entry is removed. Indices: entry-layout.ts. */
export class EntryView implements SessionEntry {
  readonly #entries: Entries;
  readonly #keys: KeyArena;
  readonly #details: DetailRows;
  readonly #detail: DetailView;
  #f64: Float64Array = new Float64Array(0);
  #i32: Int32Array = new Int32Array(0);
  /** Index of the entry's first Float64 and first Int32. */
  #f = 0;
  #i = 0;
  #slot = -1;

  constructor(entries: Entries, keys: KeyArena, details: DetailRows) {
    this.#entries = entries;
    this.#keys = keys;
    this.#details = details;
    this.#detail = new DetailView(details);
  }

  at(slot: number): this {
    this.#f64 = this.#entries.f64;
    this.#i32 = this.#entries.i32;
    this.#f = slot << F64_SHIFT;
    this.#i = slot << I32_SHIFT;
    this.#slot = slot;
    return this;
  }

  get slot(): number {
    return this.#slot;
  }

  /** Where the key lies: `keyLength` bytes from `keyStart` on. */
  get keyView(): DataView {
    return this.#keys.view;
  }
  get keyStart(): number {
    return startOf(this.#i32[this.#i + 11]!);
  }
  get keyLength(): number {
    return this.#i32[this.#i + 12]! & 0xffff;
  }

  get openedAt(): Millis {
    return this.#f64[this.#f]!;
  }
  set openedAt(value: Millis) {
    this.#f64[this.#f] = value;
  }

  get lastSeenAt(): Millis {
    return this.#f64[this.#f + 1]!;
  }
  set lastSeenAt(value: Millis) {
    this.#f64[this.#f + 1] = value;
  }

  get firstOffset(): number {
    return this.#f64[this.#f + 2]!;
  }
  set firstOffset(value: number) {
    this.#f64[this.#f + 2] = value;
  }

  get lastOffset(): number {
    return this.#f64[this.#f + 3]!;
  }
  set lastOffset(value: number) {
    this.#f64[this.#f + 3] = value;
  }

  get timeoutMs(): DurationMs {
    return this.#f64[this.#f + 4]!;
  }
  set timeoutMs(value: DurationMs) {
    this.#f64[this.#f + 4] = value;
  }

  get eventCount(): number {
    return this.#i32[this.#i + 10]! >>> 0;
  }
  set eventCount(value: number) {
    this.#i32[this.#i + 10] = value;
  }

  get timeoutChosen(): boolean {
    return this.#flag(TIMEOUT_CHOSEN);
  }
  set timeoutChosen(value: boolean) {
    this.#setFlag(TIMEOUT_CHOSEN, value);
  }

  /** Whether there is a `detail`. */
  get isDetailed(): boolean {
    return this.#flag(DETAILED);
  }

  /** A window on it, valid until the view or the detail is another. What is set is copied. */
  get detail(): SessionDetail | undefined {
    return this.#flag(DETAILED) ? this.#detail.at(this.#slot) : undefined;
  }
  set detail(value: SessionDetail | undefined) {
    const had = this.#flag(DETAILED);
    if (had && value === undefined) this.#details.release(this.#slot);
    if (!had && value !== undefined) this.#details.take(this.#slot);
    if (value !== undefined) this.#detail.at(this.#slot).set(value);
    this.#setFlag(DETAILED, value !== undefined);
  }

  get inFlight(): boolean {
    return this.#flag(IN_FLIGHT);
  }
  set inFlight(value: boolean) {
    this.#setFlag(IN_FLIGHT, value);
  }

  /** Ordinal of the changelog block with the committed image; −1: none. */
  get imageBlock(): number {
    return this.#i32[this.#i + 13]!;
  }
  set imageBlock(value: number) {
    this.#i32[this.#i + 13] = value;
  }

  get imageDigest(): number {
    return this.#i32[this.#i + 14]!;
  }
  set imageDigest(value: number) {
    this.#i32[this.#i + 14] = value;
  }

  get imageBytes(): number {
    return this.#i32[this.#i + 15]!;
  }
  set imageBytes(value: number) {
    this.#i32[this.#i + 15] = value;
  }

  #flag(bit: number): boolean {
    return (this.#i32[this.#i + 12]! & bit) !== 0;
  }

  #setFlag(bit: number, on: boolean): void {
    const at = this.#i + 12;
    this.#i32[at] = on ? this.#i32[at]! | bit : this.#i32[at]! & ~bit;
  }
}
