// The window through which the engine and a kind look at one live entry.
//
// An entry's head is 64 bytes, one cache line, so that a heartbeat touches one line for all its fields. It is seen as eight
// Float64 and as sixteen Int32, the same bytes:
//
//   Float64 0–4, Int32 10, KIND_FLAG   the kind's
//   Int32 11–15                        the engine's, key and base of the entry
//
// Fields that do not fit lie in a row, a second line of 64 bytes that an entry takes once it needs it; fields without a fixed
// length lie in its state, a string of bytes in pages. Both, too, are the kind's.
//
// The indices are literals: V8 inlines functions of up to 27 bytes of bytecode whatever else it has inlined, and a setter has 24
// with a literal and 29 with a named constant. With names an event with a payload costs a tenth more.
import type { BytesSpan, StateBytes } from './state-bytes.ts';

/** From a slot, or the number of a row, to the index of its first Int32, and of its first Float64. */
export const LINE_I32_SHIFT = 4;
export const LINE_F64_SHIFT = 3;
export const LINE_BYTES = 64;

/** From the reference of a key to where it begins: keys lie in units of 4 bytes. */
export const KEY_UNIT_SHIFT = 2;

// Int32 12, above the key's length: the engine's flags, the kind's one, and the first bits of the key's hash.
export const LIVE = 1 << 16;
/** In a cut whose commit is not yet resolved. */
export const IN_FLIGHT = 1 << 17;
export const HAS_ROW = 1 << 18;
export const KIND_FLAG = 1 << 19;

/** Lines of 64 bytes, shown two ways; other arrays once there are more lines. */
export interface Lines {
  readonly f64: Float64Array;
  readonly i32: Int32Array;
}

/** The rows of entries. */
export interface Rows extends Lines {
  /** By slot; says nothing of slots without a row. */
  readonly rowOf: Int32Array;
  /** Gives a slot that has none a row, whatever stood there. */
  take(slot: number): void;
  /** Takes the row of a slot that has one. */
  release(slot: number): void;
}

/** A window on the state of one entry. */
export interface StateWindow extends StateBytes {
  /** Moves it; valid until another window edits or clears that state. */
  at(slot: number): this;
  /** Makes the state a copy of what lies elsewhere. */
  set(from: BytesSpan): void;
}

/** The states of entries. */
export interface States {
  lengthOf(slot: number): number;
  /** No-op for an empty slot. */
  clear(slot: number): void;
}

/** Memory of the entries of one partition. */
export interface EntryMemory {
  readonly heads: Lines;
  readonly keys: { readonly view: DataView };
  readonly rows: Rows;
  readonly states: States;
  stateWindow(): StateWindow;
}

/** Moved with `at`; valid until the entry is removed. A kind's own has accessors for what is the kind's. */
export class EntryWindow {
  protected readonly memory: EntryMemory;
  protected f64: Float64Array = new Float64Array(0);
  protected i32: Int32Array = new Int32Array(0);
  /** Index of the head's first Float64 and first Int32. */
  protected f = 0;
  protected i = 0;
  #slot = -1;

  constructor(memory: EntryMemory) {
    this.memory = memory;
  }

  at(slot: number): this {
    const { heads } = this.memory;
    this.f64 = heads.f64;
    this.i32 = heads.i32;
    this.f = slot << LINE_F64_SHIFT;
    this.i = slot << LINE_I32_SHIFT;
    this.#slot = slot;
    return this;
  }

  get slot(): number {
    return this.#slot;
  }

  /** Where the key lies: `keyLength` bytes from `keyStart` on. */
  get keyView(): DataView {
    return this.memory.keys.view;
  }
  get keyStart(): number {
    return this.i32[this.i + 11]! << KEY_UNIT_SHIFT;
  }
  get keyLength(): number {
    return this.i32[this.i + 12]! & 0xffff;
  }

  get hasRow(): boolean {
    return this.flag(HAS_ROW);
  }

  /** Bytes of the entry's state. */
  get stateLength(): number {
    return this.memory.states.lengthOf(this.#slot);
  }

  /** True if a cut has held the entry: the changelog knows its slot, or will. */
  get isWritten(): boolean {
    return this.baseBlock >= 0 || this.inFlight;
  }

  get inFlight(): boolean {
    return this.flag(IN_FLIGHT);
  }
  set inFlight(value: boolean) {
    this.setFlag(IN_FLIGHT, value);
  }

  /** Ordinal of the changelog block with the entry's committed base, a bind; −1: none. */
  get baseBlock(): number {
    return this.i32[this.i + 13]!;
  }
  set baseBlock(value: number) {
    this.i32[this.i + 13] = value;
  }

  /** Digest of head and state as last cut into a block; and how many bytes a base of that has. */
  get writtenDigest(): number {
    return this.i32[this.i + 14]!;
  }
  set writtenDigest(value: number) {
    this.i32[this.i + 14] = value;
  }

  get baseBytes(): number {
    return this.i32[this.i + 15]!;
  }
  set baseBytes(value: number) {
    this.i32[this.i + 15] = value;
  }

  /** Gives the entry, which has none, a row, whatever stood there. */
  protected takeRow(): void {
    this.memory.rows.take(this.#slot);
    this.setFlag(HAS_ROW, true);
  }

  /** Takes the entry's row. */
  protected releaseRow(): void {
    this.memory.rows.release(this.#slot);
    this.setFlag(HAS_ROW, false);
  }

  protected flag(bit: number): boolean {
    return (this.i32[this.i + 12]! & bit) !== 0;
  }

  protected setFlag(bit: number, on: boolean): void {
    const at = this.i + 12;
    this.i32[at] = on ? this.i32[at]! | bit : this.i32[at]! & ~bit;
  }
}
