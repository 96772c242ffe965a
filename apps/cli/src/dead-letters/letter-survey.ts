// Counts the letters of a dead-letter topic in one pass.
//
// Owns: the counts, which letters were replayed, the letters listed.
// Does not own: reading.
//
// Invariants
//   LV1  Counts by reason cover all letters that the filter takes; at most `limit` of them are kept.
//   LV2  A mark comes after its letter in the same partition, so that one pass knows all replays at its end.
import { didYouMean } from '@flatline/base';
import { DEAD_LETTER_REASONS, isDeadLetterReason } from '@flatline/ports';
import { printable } from '../terminal/printable.ts';
import type { Letter, LetterRecord } from '@flatline/processor/letters';

export interface LetterFilter {
  /** undefined: every reason. */
  readonly reason?: string | undefined;
  /** Empty: every letter. */
  readonly places?: ReadonlySet<string>;
}

export function placeOf({ partition, offset }: Pick<Letter, 'partition' | 'offset'>): string {
  return `${partition}/${offset}`;
}

export function isWanted(letter: Letter, { reason, places }: LetterFilter): boolean {
  if (reason !== undefined && letter.origin.reason !== reason) return false;
  return places === undefined || places.size === 0 || places.has(placeOf(letter));
}

export class LetterSurvey {
  readonly #filter: LetterFilter;
  readonly #limit: number;
  readonly #keep: 'first' | 'newest';
  readonly #replays = new Map<string, number>();
  readonly #byReason = new Map<string, number>();
  readonly #others = new Set<string>();
  #listed: Letter[] = [];
  /** Records that are neither letters nor marks. */
  foreign = 0;
  total = 0;

  constructor(filter: LetterFilter, limit: number, keep: 'first' | 'newest') {
    this.#filter = filter;
    this.#limit = limit;
    this.#keep = keep;
  }

  add(record: LetterRecord, partition: number): void {
    if (record.kind === 'foreign') this.foreign += 1;
    else if (record.kind === 'mark') {
      const place = placeOf({ partition, offset: record.offset });
      this.#replays.set(place, (this.#replays.get(place) ?? 0) + 1);
    } else if (isWanted(record, this.#filter)) this.#take(record);
    else this.#others.add(record.origin.reason);
  }

  /** How often the letter was replayed. */
  replaysOf(letter: Letter): number {
    return this.#replays.get(placeOf(letter)) ?? 0;
  }

  get byReason(): readonly (readonly [string, number])[] {
    return [...this.#byReason].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
  }

  /** Reasons of the letters that the filter leaves out, sorted. */
  get otherReasons(): readonly string[] {
    return [...this.#others].sort();
  }

  /** The first, or the newest by time of writing; the oldest of them first. */
  get listed(): readonly Letter[] {
    return this.#keep === 'first' ? this.#listed : newestOf(this.#listed, this.#limit);
  }

  #take(letter: Letter): void {
    const { reason } = letter.origin;
    this.total += 1;
    this.#byReason.set(reason, (this.#byReason.get(reason) ?? 0) + 1);
    if (this.#keep === 'newest') {
      this.#listed.push(letter);
      if (this.#listed.length >= 2 * this.#limit) this.#listed = newestOf(this.#listed, this.#limit);
    } else if (this.#listed.length < this.#limit) this.#listed.push(letter);
  }
}

/** A misspelt reason finds nothing, like one that never occurred. */
export function noSuchReason(
  reason: string,
  { topic }: { readonly topic: string },
  { otherReasons }: Pick<LetterSurvey, 'otherReasons'>,
): string {
  if (otherReasons.length === 0) return `${topic} has no dead letters at all`;
  return `no dead letter of ${topic} has the reason ${reason}; there are ${otherReasons.join(', ')}`;
}

/** How to say it of a reason that neither this version knows nor any letter has, which those of another may; else undefined. */
export function misspeltReason(reason: string): string | undefined {
  if (isDeadLetterReason(reason)) return undefined;
  return `--reason ${printable(reason)}: there is no such reason${didYouMean(reason, Object.keys(DEAD_LETTER_REASONS))}`;
}

function newestOf(letters: readonly Letter[], limit: number): Letter[] {
  return limit === 0 ? [] : [...letters].sort((a, b) => a.writtenAt - b.writtenAt).slice(-limit);
}
