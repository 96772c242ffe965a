// Integers as decimal digits in ASCII, without a string in between: encoding a string takes longer than all of its digits.

const ZERO = 0x30;
/** A safe integer divided by this fits 32 bits, which divide quickly. */
const LOW = 1e7;
const LOW_DIGITS = 7;
const NOTHING = new Uint8Array(0);
/** Longer ones need not be exact as a double. */
const DIGITS_MAX = 15;

/** The digits of a safe integer from 0 on, behind `prefix`. */
export function digitsOf(value: number, prefix: Uint8Array = NOTHING): Uint8Array {
  const { length } = prefix;
  const bytes = new Uint8Array(length + digitCount(value));
  for (let i = 0; i < length; i += 1) bytes[i] = prefix[i]!;
  writeDigits(value, bytes, length);
  return bytes;
}

/** Writes the digits of a safe integer from 0 on to `target`, from `at` on. Returns where they end. */
export function writeDigits(value: number, target: Uint8Array, at: number): number {
  const end = at + digitCount(value);
  const high = Math.floor(value / LOW);
  if (high === 0) write(value, target, at, end);
  else {
    write(value - high * LOW, target, end - LOW_DIGITS, end);
    write(high, target, at, end - LOW_DIGITS);
  }
  return end;
}

function digitCount(value: number): number {
  const high = Math.floor(value / LOW);
  return high > 0 ? LOW_DIGITS + countOf(high) : countOf(value);
}

function countOf(value: number): number {
  let count = 1;
  for (let above = 10; above <= value; above *= 10) count += 1;
  return count;
}

/** Writes from the last digit to the first, padded with zeros. */
function write(value: number, bytes: Uint8Array, start: number, end: number): void {
  let rest = value;
  for (let at = end - 1; at >= start; at -= 1) {
    const above = (rest / 10) | 0;
    bytes[at] = ZERO + rest - above * 10;
    rest = above;
  }
}

/** The integer that the 1 to 15 digits from `start` to `end` are; undefined: they are something else, or more. */
export function decimalIn(bytes: Uint8Array, start = 0, end: number = bytes.length): number | undefined {
  if (end <= start || end - start > DIGITS_MAX) return undefined;
  let value = 0;
  for (let i = start; i < end; i += 1) {
    const digit = bytes[i]! - ZERO;
    if (digit < 0 || digit > 9) return undefined;
    value = 10 * value + digit;
  }
  return value;
}
