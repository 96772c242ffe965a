// Compares the dead letters with the input: each record that could not be applied is there once, and no other is (I1).
//
// Owns: the letters of the current commit.
// Does not own: which records are bad (EntriesFold).
import type { Feed } from './feed.ts';
import type { InputRecord, LetterRecord } from '../logs/history.ts';
import type { Place } from './place.ts';

const BAD_TIMESTAMP = 'bad-timestamp';
const PROCESSING_FAILED = 'processing-failed';
const STATE_FULL = 'state-full';

export class LetterCheck {
  readonly #place: Place;
  readonly #feed: Feed<LetterRecord>;
  /** False if letters may have been deleted: then a missing one is no fault. */
  readonly #isWhole: boolean;
  /** First input offset that is judged: an application whose state was given up may have said what lies below, too. */
  readonly #inputFrom: number;
  /** Input offset → letter. */
  readonly #letters = new Map<number, LetterRecord>();

  /** @param inputFrom the first input offset that exists, or that is judged. */
  constructor(place: Place, feed: Feed<LetterRecord>, isWhole: boolean, inputFrom: number) {
    this.#place = place;
    this.#feed = feed;
    this.#isWhole = isWhole;
    this.#inputFrom = inputFrom;
  }

  /** Takes in the letters of records below `position`. */
  async read(position: number): Promise<void> {
    while (await this.#feed.fill()) {
      const { record } = this.#feed.next!;
      const { subject } = record;
      if (subject !== undefined && subject.offset >= position) return;
      this.#feed.take();
      if (subject !== undefined && (subject.lastOffset ?? subject.offset) >= this.#inputFrom)
        this.#note(record, subject.offset);
    }
  }

  /** True if the processor refused the record for its stamp: only the present at that time could tell (C6). */
  wasRefusedForItsStamp(offset: number): boolean {
    return this.#letters.get(offset)?.subject?.reason === BAD_TIMESTAMP;
  }

  /** True if the processor says that it failed at the record (I6): then nothing of it is applied. */
  sayFailed(offset: number): boolean {
    return this.#letters.get(offset)?.subject?.reason === PROCESSING_FAILED;
  }

  /** True if the processor says that the partition had no room for the session that the record would open (I7). */
  sayFull(offset: number): boolean {
    return this.#letters.get(offset)?.subject?.reason === STATE_FULL;
  }

  /** Compares a record that was bad with its letter: unchanged, or a beginning of it that says how long it was (I1). */
  compare({ offset, key, value, lastOffset }: InputRecord): void {
    const letter = this.#letters.get(offset);
    if (letter?.subject === undefined) return;
    const { subject } = letter;
    const wrong = [
      ...(subject.lastOffset === lastOffset ? [] : ['the offset of the last record']),
      ...(isKept(letter.key, key, subject.keyBytes) ? [] : ['the key']),
      ...(isKept(letter.value, value, subject.valueBytes) ? [] : ['the value']),
    ];
    if (wrong.length > 0)
      this.#place.violation('I1', {
        offset: letter.offset,
        what: `the dead letter of input offset ${offset} is not its record: ${wrong.join(', ')}`,
      });
  }

  /** Compares the letters with the records that were bad since the last call. */
  match(bad: readonly number[]): void {
    for (const offset of bad)
      if (!this.#letters.delete(offset) && this.#isWhole)
        this.#place.violation('I1', { what: `input offset ${offset} could not be applied, and is no dead letter` });
    for (const [offset, letter] of this.#letters)
      this.#place.violation('I1', {
        offset: letter.offset,
        what: `input offset ${offset} could be applied, or came before`,
      });
    this.#letters.clear();
  }

  /** Forgets the letters so far: their records are not judged. */
  forget(): void {
    this.#letters.clear();
  }

  /** Reports every other letter below `position` as one too many. Returns how many lie above it, which are of no commit here. */
  async finish(position: number): Promise<number> {
    await this.read(position);
    this.match([]);
    let left = 0;
    while (await this.#feed.fill()) {
      left += Number(this.#feed.next!.record.subject !== undefined);
      this.#feed.take();
    }
    return left;
  }

  #note(record: LetterRecord, offset: number): void {
    const former = this.#letters.get(offset);
    if (former !== undefined)
      this.#place.violation('I1', {
        offset: record.offset,
        what: `input offset ${offset} is a dead letter twice; the first is at offset ${former.offset}`,
      });
    this.#letters.set(offset, record);
  }
}

/** True if `kept` is `original`, or its beginning where `length` gives the length of `original`. */
function isKept(kept: Uint8Array | null, original: Uint8Array | null, length: number | undefined): boolean {
  if (kept === null || original === null) return kept === original && length === undefined;
  const isWhole = length === undefined;
  if (isWhole ? kept.length !== original.length : length !== original.length || kept.length >= length) return false;
  return kept.every((byte, at) => byte === original[at]);
}
