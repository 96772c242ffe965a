// The numbers of a session's events as they lie in the row of its entry, the sequence window's among them.
import type { Millis } from '@flatline/base';
import {
  type EntryMemory,
  LINE_F64_SHIFT,
  LINE_I32_SHIFT,
  type Rows,
  type States,
  type StateWindow,
} from '../entry-window.ts';
import { type BytesSpan, HeapBytes } from '../state-bytes.ts';
import { BehindPart, withPart } from './behind-part.ts';
import { setChanged, stateOf } from './state-parts.ts';
import { blankDetail, type DecodedNumbers, type SessionDetail } from './detail.ts';
import type { SequenceWindow } from './sequence-window.ts';
import { SessionTexts } from './texts.ts';

/** The last Int32: the number of restarts (RESTARTS_MAX), and above it whether there are texts, sources, disorder, and a reducer's state. */
const RESTARTS_MASK = 0x0fffffff;
const HAS_REDUCED = 0x10000000;
const HAS_DISORDER = 0x20000000;
const HAS_SOURCES = 0x40000000;
const HAS_TEXTS = 0x80000000 | 0;
const WITHOUT_TEXTS = ~HAS_TEXTS;
const NOTHING = new HeapBytes();
/** Bytes before the texts. */
const HAS_BEFORE = HAS_DISORDER | HAS_REDUCED;

/**
 * Moved with `at`; valid until the slot's row is released. The sequence window is shown by the same object: to move another one
 * along with it would cost each event as much as what it changes.
 *
 * The row is five Float64 and six Int32 after them, all of these but the last unsigned. Why the indices are literals:
 * EntryWindow.
 */
export class DetailWindow implements SessionDetail, SequenceWindow {
  readonly #rows: Rows;
  readonly #states: States;
  readonly #state: StateWindow;
  readonly #texts: SessionTexts;
  readonly #behind: BehindPart;
  readonly #textsBehind: SessionTexts;
  /** The reducer's state, and the texts behind it: where there is no disorder, and where there is. */
  readonly #reduced: BehindPart;
  readonly #textsReduced: SessionTexts;
  readonly #reducedBehind: BehindPart;
  readonly #textsBehindBoth: SessionTexts;
  #slot = -1;
  #f64: Float64Array = new Float64Array(0);
  #i32: Int32Array = new Int32Array(0);
  /** Index of the row's first Float64 and first Int32. */
  #f = 0;
  #i = 0;

  constructor(memory: EntryMemory) {
    this.#rows = memory.rows;
    this.#states = memory.states;
    this.#state = memory.stateWindow();
    this.#texts = new SessionTexts(this.#state);
    this.#behind = new BehindPart(this.#state);
    this.#textsBehind = new SessionTexts(this.#behind);
    this.#reduced = new BehindPart(this.#state);
    this.#textsReduced = new SessionTexts(this.#reduced);
    this.#reducedBehind = new BehindPart(this.#behind);
    this.#textsBehindBoth = new SessionTexts(this.#reducedBehind);
  }

  /** `slot` has a row. */
  at(slot: number): this {
    const { f64, i32, rowOf } = this.#rows;
    const row = rowOf[slot]!;
    this.#f64 = f64;
    this.#i32 = i32;
    this.#f = row << LINE_F64_SHIFT;
    this.#i = row << LINE_I32_SHIFT;
    this.#slot = slot;
    return this;
  }

  /** Called on a row that is new to its slot: whatever stood there says nothing of it. */
  clear(): void {
    this.#i32[this.#i + 15] = 0;
  }

  /** Makes the row say what `detail` says. */
  set(detail: SessionDetail): void {
    this.#setNumbers(detail);
    const isPlain = detail.disorder === undefined && detail.reduced === undefined;
    if (isPlain && !this.#hasBefore) this.texts = detail.texts;
    else this.#setState(detail);
  }

  /** Makes the row say what was read: what lies in the state is there by itself. */
  restore({ detail, hasTexts, hasDisorder, hasReduced }: DecodedNumbers): void {
    this.#setNumbers(detail);
    this.#setFlags(hasTexts, hasDisorder, hasReduced);
  }

  #setFlags(hasTexts: boolean, hasDisorder: boolean, hasReduced: boolean): void {
    const at = this.#i + 15;
    const others = this.#i32[at]! & WITHOUT_TEXTS & ~HAS_BEFORE;
    const before = (hasDisorder ? HAS_DISORDER : 0) | (hasReduced ? HAS_REDUCED : 0);
    this.#i32[at] = others | (hasTexts ? HAS_TEXTS : 0) | before;
  }

  #setState({ disorder, reduced, texts }: SessionDetail): void {
    const after = stateOf(disorder, reduced, texts?.state);
    this.#setFlags(texts !== undefined, disorder !== undefined, reduced !== undefined);
    if (after.length === 0) this.#states.clear(this.#slot);
    else setChanged(this.#state.at(this.#slot), after);
  }

  /** True if nothing of it lies in the state, sources included. */
  get hasNumbersOnly(): boolean {
    return (this.#i32[this.#i + 15]! & ~RESTARTS_MASK) === 0;
  }

  get #hasBefore(): boolean {
    return (this.#i32[this.#i + 15]! & HAS_BEFORE) !== 0;
  }

  get hasReduced(): boolean {
    return (this.#i32[this.#i + 15]! & HAS_REDUCED) !== 0;
  }

  /** As valid as this window. What is set is copied. */
  get reduced(): BytesSpan | undefined {
    return this.hasReduced ? this.#holder().part : undefined;
  }
  set reduced(value: BytesSpan | undefined) {
    if (value === undefined) {
      if (this.hasReduced) this.#setState({ ...this.#stateParts(), reduced: undefined });
      return;
    }
    this.#holder().replace(withPart(value, NOTHING), this.hasReduced);
    this.#i32[this.#i + 15]! |= HAS_REDUCED;
  }

  #holder(): BehindPart {
    this.#state.at(this.#slot);
    return this.hasDisorder ? this.#reducedBehind : this.#reduced;
  }

  /** All that lies in the state. */
  #stateParts(): SessionDetail {
    return { ...blankDetail(0, 0), disorder: this.disorder, reduced: this.reduced, texts: this.texts };
  }

  get hasDisorder(): boolean {
    return (this.#i32[this.#i + 15]! & HAS_DISORDER) !== 0;
  }

  /** As valid as this window. */
  get disorder(): BytesSpan | undefined {
    if (!this.hasDisorder) return undefined;
    this.#state.at(this.#slot);
    return this.#behind.part;
  }

  #setNumbers(detail: SessionDetail): void {
    this.startedAt = detail.startedAt;
    this.lastEventAt = detail.lastEventAt;
    this.duplicateCount = detail.duplicateCount;
    this.outOfOrderCount = detail.outOfOrderCount;
    this.sequence = detail.sequence;
    this.hasSources = detail.hasSources;
  }

  get hasSources(): boolean {
    return (this.#i32[this.#i + 15]! & HAS_SOURCES) !== 0;
  }
  set hasSources(value: boolean) {
    const at = this.#i + 15;
    this.#i32[at] = value ? this.#i32[at]! | HAS_SOURCES : this.#i32[at]! & ~HAS_SOURCES;
  }

  get startedAt(): Millis {
    return this.#f64[this.#f]!;
  }
  set startedAt(value: Millis) {
    this.#f64[this.#f] = value;
  }

  get lastEventAt(): Millis {
    return this.#f64[this.#f + 1]!;
  }
  set lastEventAt(value: Millis) {
    this.#f64[this.#f + 1] = value;
  }

  get duplicateCount(): number {
    return this.#i32[this.#i + 10]! >>> 0;
  }
  set duplicateCount(value: number) {
    this.#i32[this.#i + 10] = value;
  }

  get outOfOrderCount(): number {
    return this.#i32[this.#i + 11]! >>> 0;
  }
  set outOfOrderCount(value: number) {
    this.#i32[this.#i + 11] = value;
  }

  /** None where nothing was received. */
  get sequence(): SequenceWindow | undefined {
    return this.#i32[this.#i + 14] === 0 ? undefined : this;
  }
  set sequence(value: SequenceWindow | undefined) {
    if (value === undefined) {
      this.#i32[this.#i + 14] = 0;
      return;
    }
    this.lowest = value.lowest;
    this.highest = value.highest;
    this.seenLow = value.seenLow;
    this.seenHigh = value.seenHigh;
    this.received = value.received;
    this.missingBefore = value.missingBefore;
    this.restarts = value.restarts;
  }

  /** A window on them, as valid as this one. What is set is copied. */
  get texts(): SessionTexts | undefined {
    const flags = this.#i32[this.#i + 15]!;
    if (flags >= 0) return undefined;
    this.#state.at(this.#slot);
    return (flags & HAS_BEFORE) === 0 ? this.#texts : this.#textsBehindOthers(flags);
  }
  set texts(value: SessionTexts | undefined) {
    if (this.#hasBefore) {
      this.#setState({ ...this.#stateParts(), texts: value });
      return;
    }
    const at = this.#i + 15;
    if (value !== undefined) this.#state.at(this.#slot).set(value.state);
    else if (this.#i32[at]! < 0) this.#states.clear(this.#slot);
    this.#i32[at] = value === undefined ? this.#i32[at]! & WITHOUT_TEXTS : this.#i32[at]! | HAS_TEXTS;
  }

  #textsBehindOthers(flags: number): SessionTexts {
    if ((flags & HAS_REDUCED) === 0) return this.#textsBehind;
    return (flags & HAS_DISORDER) === 0 ? this.#textsReduced : this.#textsBehindBoth;
  }

  get lowest(): number {
    return this.#f64[this.#f + 2]!;
  }
  set lowest(value: number) {
    this.#f64[this.#f + 2] = value;
  }

  get highest(): number {
    return this.#f64[this.#f + 3]!;
  }
  set highest(value: number) {
    this.#f64[this.#f + 3] = value;
  }

  get missingBefore(): number {
    return this.#f64[this.#f + 4]!;
  }
  set missingBefore(value: number) {
    this.#f64[this.#f + 4] = value;
  }

  get seenLow(): number {
    return this.#i32[this.#i + 12]! >>> 0;
  }
  set seenLow(value: number) {
    this.#i32[this.#i + 12] = value;
  }

  get seenHigh(): number {
    return this.#i32[this.#i + 13]! >>> 0;
  }
  set seenHigh(value: number) {
    this.#i32[this.#i + 13] = value;
  }

  get received(): number {
    return this.#i32[this.#i + 14]! >>> 0;
  }
  set received(value: number) {
    this.#i32[this.#i + 14] = value;
  }

  get restarts(): number {
    return this.#i32[this.#i + 15]! & RESTARTS_MASK;
  }
  set restarts(value: number) {
    const at = this.#i + 15;
    this.#i32[at] = (this.#i32[at]! & ~RESTARTS_MASK) | value;
  }
}
