// How long the state of a built-in part becomes, whatever comes. What does not fit costs the part, and is marked there; it never
// costs the event, which may be all that a session lives by.
//
// Numbers are bounds of encodings, and part of the format (docs/FORMATS.md, Reducers): how much of a text is kept goes by them.
// Each value is cut by itself: room that values shared would depend on the order in which they came.
import { hashBytes } from '@flatline/base';
import type { Scalar } from './part.ts';

/** Bytes of the longest text that is kept, in UTF-8. */
export const TEXT_BYTES_MAX = 1_024;
/** Bytes of a text in a set: with less, too little would be left of it to know it by. */
export const SET_TEXT_BYTES_LEAST = 32;
/** Which type a value has, the length of a text, when and where it came. */
export const DATED_BYTES = 20;
/** Upper bounds of states. */
export const EDGE_BYTES_MAX = TEXT_BYTES_MAX + DATED_BYTES + 4;
export const EXTREME_BYTES_MAX = 9;
export const SUM_BYTES_MAX = 340;
/** A set without its values. */
export const SET_BYTES = 5;
const FUNNEL_BYTES = 4;
/** Times of a step, and the length of its name. */
const STEP_BYTES = 72;

/** A text that was cut ends with it, and with its hash: different texts stay different. */
const CUT = '…';
const HASH_DIGITS = 8;
/** Bytes of both. */
const CUT_BYTES = 3 + HASH_DIGITS;
const HASH_SEED = 0x43757421;

const utf8 = new TextEncoder();
/** One byte more, so that a longer text is told from one that just fits. */
const scratch = new Uint8Array(TEXT_BYTES_MAX + 1);

/** The value, of a text at most `most` bytes. */
export function cut(value: Scalar, most: number): Scalar {
  // Fits however it is encoded.
  if (typeof value !== 'string' || value.length * 3 <= most) return value;
  const { read, written } = utf8.encodeInto(value, scratch.subarray(0, most + 1));
  if (read === value.length && written <= most) return value;
  const { read: kept } = utf8.encodeInto(value, scratch.subarray(0, most - CUT_BYTES));
  const whole = utf8.encode(value);
  const hash = hashBytes(whole, 0, whole.length, HASH_SEED) >>> 0;
  return `${value.slice(0, kept)}${CUT}${hash.toString(16).padStart(HASH_DIGITS, '0')}`;
}

export function funnelBytesMax(steps: readonly string[]): number {
  return steps.reduce((sum, step) => sum + STEP_BYTES + utf8.encode(step).length, FUNNEL_BYTES);
}
