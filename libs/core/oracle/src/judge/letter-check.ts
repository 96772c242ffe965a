// Compares the dead letters with the input: each record that could not be applied is there once, and no other is (I1).
//
// Owns: the letters of the current commit.
// Does not own: which records are bad (EntriesFold).
import type { Feed } from './feed.ts';
import type { InputRecord, LetterRecord, LetterSubject } from '../logs/history.ts';
import { isBehind, isBelow, offsetOf, placeOf, placeText, type Positions } from '../logs/places.ts';
import type { Place } from './place.ts';

const BAD_TIMESTAMP = 'bad-timestamp';
const PROCESSING_FAILED = 'processing-failed';
const UNROUTABLE = 'unroutable';
const STATE_FULL = 'state-full';
const OF_REDUCERS: readonly (string | undefined)[] = ['reducer-failed', 'reduced-too-large'];

export class LetterCheck {
  readonly #place: Place;
  readonly #feed: Feed<LetterRecord>;
  /** False if letters may have been deleted: then a missing one is no fault. */
  readonly #isWhole: boolean;
  /** First input offsets that are judged: an application whose state was given up may have said what lies below, too. */
  readonly #inputFrom: Positions;
  readonly #topics: readonly string[];
  /** Place in the inputs → letter. */
  readonly #letters = new Map<number, LetterRecord>();
  /** Letters of outputs that were not routed, in order (P3). */
  readonly #unroutable: LetterRecord[] = [];

  /** @param inputs with the first offset there is, or that is asked about. */
  constructor(
    place: Place,
    feed: Feed<LetterRecord>,
    isWhole: boolean,
    inputs: readonly { readonly topic: string; readonly logStart: number }[],
  ) {
    this.#place = place;
    this.#feed = feed;
    this.#isWhole = isWhole;
    this.#inputFrom = inputs.map(({ logStart }) => logStart);
    this.#topics = inputs.map(({ topic }) => topic);
  }

  /** Takes in the letters of records below `position`. */
  async read(positions: Positions): Promise<void> {
    while (await this.#feed.fill()) {
      const { record } = this.#feed.next!;
      const { subject } = record;
      if (subject !== undefined && this.#isOfLater(subject, positions)) return;
      this.#feed.take();
      if (subject !== undefined && this.#isJudged(subject)) this.#note(record, this.#at(subject, subject.offset));
    }
  }

  /** The letter of an output names the last offset of the first input that its commit covers; 0, too, where that is none (P3). */
  #isOfLater(subject: LetterSubject, positions: Positions): boolean {
    if (subject.reason === UNROUTABLE) return subject.offset >= Math.max(1, positions[0] ?? Infinity);
    return isBehind(this.#at(subject, subject.offset), positions);
  }

  #isJudged(subject: LetterSubject): boolean {
    if (subject.reason === UNROUTABLE) return subject.offset + 1 >= this.#inputFrom[0]!;
    return !isBelow(this.#at(subject, subject.lastOffset ?? subject.offset), this.#inputFrom);
  }

  #at({ topic }: LetterSubject, offset: number): number {
    // The only input there is has all of them, whatever it was called then.
    return placeOf(Math.max(0, this.#topics.indexOf(topic ?? '')), offset);
  }

  /** True if the processor refused the record for its stamp: only the present at that time could tell (C6). */
  wasRefusedForItsStamp(offset: number): boolean {
    return this.#letters.get(offset)?.subject?.reason === BAD_TIMESTAMP;
  }

  /** True if the processor says that it failed at the record (I6): then nothing of it is applied. */
  sayFailed(offset: number): boolean {
    return this.#letters.get(offset)?.subject?.reason === PROCESSING_FAILED;
  }

  /** True if the processor says that the reducer refused the record (S10). */
  sayUnreduced(offset: number): boolean {
    return OF_REDUCERS.includes(this.#letters.get(offset)?.subject?.reason);
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
      ...(subject.lastOffset === (lastOffset && offsetOf(lastOffset)) ? [] : ['the offset of the last record']),
      ...(isKept(letter.key, key, subject.keyBytes) ? [] : ['the key']),
      ...(isKept(letter.value, value, subject.valueBytes) ? [] : ['the value']),
    ];
    if (wrong.length > 0)
      this.#place.violation('I1', {
        offset: letter.offset,
        what: `the dead letter of input offset ${placeText(offset)} is not its record: ${wrong.join(', ')}`,
      });
  }

  /** Compares the letters with the records that were bad since the last call. */
  match(bad: readonly number[]): void {
    for (const offset of bad)
      if (!this.#letters.delete(offset) && this.#isWhole)
        this.#place.violation('I1', {
          what: `input offset ${placeText(offset)} could not be applied, and is no dead letter`,
        });
    for (const [offset, letter] of this.#letters)
      this.#place.violation('I1', {
        offset: letter.offset,
        what: `input offset ${placeText(offset)} could be applied, or came before`,
      });
    this.#letters.clear();
  }

  /** Forgets the letters so far: their records are not judged. */
  forget(): void {
    this.#letters.clear();
  }

  /** Reports every other letter below `position` as one too many. Returns how many lie above it, which are of no commit here. */
  async finish(positions: Positions): Promise<number> {
    await this.read(positions);
    this.match([]);
    let left = 0;
    while (await this.#feed.fill()) {
      left += Number(this.#feed.next!.record.subject !== undefined);
      this.#feed.take();
    }
    return left;
  }

  /** The next letter of an output, left in place; undefined: there is none so far. */
  get firstUnroutable(): LetterRecord | undefined {
    return this.#unroutable[0];
  }

  /** Takes it. */
  takeUnroutable(): LetterRecord | undefined {
    return this.#unroutable.shift();
  }

  #note(record: LetterRecord, offset: number): void {
    if (record.subject?.reason === UNROUTABLE) {
      this.#unroutable.push(record);
      return;
    }
    const former = this.#letters.get(offset);
    if (former !== undefined)
      this.#place.violation('I1', {
        offset: record.offset,
        what: `input offset ${placeText(offset)} is a dead letter twice; the first is at offset ${former.offset}`,
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
