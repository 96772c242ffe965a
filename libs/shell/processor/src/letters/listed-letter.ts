// A dead letter as a list shows it: bounded, whatever the record holds (X6). Pure.
import { copyBytes, type Millis } from '@flatline/base';
import { isWhole, type Letter, type LetterPlace } from './letter.ts';

/** Characters of a text, and bytes of a key. What this version writes into a letter's detail is shorter. */
const SHOWN_MAX = 1_024;

export interface ListedLetter extends LetterPlace {
  readonly writtenAt: Millis;
  readonly key: Uint8Array | null;
  /** How long the key is, where `key` is only the beginning of it. */
  readonly keyBytes?: number;
  readonly valueBytes: number | null;
  readonly reason: string;
  readonly detail: string;
  readonly origin: { readonly topic: string; readonly partition: number; readonly offset: number };
  readonly isWhole: boolean;
}

/** Holds nothing of the letter's own memory. */
export function listedLetter(letter: Letter): ListedLetter {
  const { partition, offset, writtenAt, key, value, origin } = letter;
  const isLong = key !== null && key.length > SHOWN_MAX;
  return {
    partition,
    offset,
    writtenAt,
    key: isLong ? copyBytes(key, 0, SHOWN_MAX) : key,
    ...(isLong && { keyBytes: key.length }),
    valueBytes: value?.length ?? null,
    reason: bounded(origin.reason),
    detail: bounded(origin.detail),
    origin: { topic: bounded(origin.topic), partition: origin.partition, offset: origin.offset },
    isWhole: isWhole(letter),
  };
}

/** A part of a text keeps the whole of it in memory: it is copied. */
function bounded(text: string): string {
  return text.length <= SHOWN_MAX ? text : Buffer.from(`${text.slice(0, SHOWN_MAX - 1)}…`).toString();
}
