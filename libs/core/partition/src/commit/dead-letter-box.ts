// Records that could not be applied, from being read until a cut takes them.
//
// Owns: the letters, their bytes.
// Does not own: why a record is refused.
//
// Invariants
//   DB1  A letter is taken once: with the cut that covers its record (I1, O1).
//
// Checked
//   inspect  DB1
//            As far as the letters that wait have the bytes that are counted; the oracle reads the topic for each of them (I1).
import type { Millis } from '@flatline/base';
import { type DeadLetter, deadLetter, type DeadLetterLimits, letterBytes, unroutableLetter } from './dead-letter.ts';
import type { DeadLetterReason, RecordCursor, UntimedRecord } from '@flatline/ports';

export class DeadLetterBox {
  readonly #limits: DeadLetterLimits;
  #letters: DeadLetter[] = [];
  #bytes = 0;

  constructor(limits: DeadLetterLimits) {
    this.#limits = limits;
  }

  get count(): number {
    return this.#letters.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** True if the letters' bytes have reached the limit, however few letters they are. */
  get isFull(): boolean {
    return this.#bytes >= this.#limits.waitingBytesMax();
  }

  /** Share of that limit in use. */
  get fill(): number {
    return this.#bytes / this.#limits.waitingBytesMax();
  }

  /** Copies the record under the cursor, up to the maximum length of a letter. */
  add(cursor: RecordCursor, reason: DeadLetterReason, detail: string, input = 0): void {
    const letter = deadLetter(cursor, reason, detail, { bytesMax: this.#limits.letterBytesMax, input });
    this.#bytes += letterBytes(letter);
    this.#letters.push(letter);
  }

  /** An output of which a route makes no record. Where it came about, its cut says. */
  addUnroutable(output: UntimedRecord, detail: string): void {
    const bytesMax = this.#limits.letterBytesMax;
    const letter = unroutableLetter(output, detail, { bytesMax, offset: 0, timestamp: 0 });
    this.#bytes += letterBytes(letter);
    this.#letters.push(letter);
  }

  /** Lists violations of the invariant, in words. O(letters), changes nothing. For checks. */
  inspect(): string[] {
    const bytes = this.#letters.reduce((sum, letter) => sum + letterBytes(letter), 0);
    return bytes === this.#bytes ? [] : [`DB1: letters have ${bytes} bytes, ${this.#bytes} are counted`];
  }

  /** `lastOffset`: of the first input, below which the cut covers it, with its clock. */
  takeAll(lastOffset: number, clock: Millis): readonly DeadLetter[] {
    const letters = this.#letters.map((letter) =>
      letter.input === undefined ? { ...letter, offset: lastOffset, timestamp: clock } : letter,
    );
    this.#letters = [];
    this.#bytes = 0;
    return letters;
  }
}
