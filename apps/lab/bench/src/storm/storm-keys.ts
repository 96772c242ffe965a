// Keys that carry a number, so that each close can be ticked off without a table of texts. As long as a UUID.

const PREFIX = Buffer.from('storm-------------------', 'latin1');
const DIGITS = 12;
const ZERO = 0x30;

/** The key of session `number`, 36 bytes. */
export function stormKey(number: number): Buffer {
  return Buffer.concat([PREFIX, Buffer.from(String(number).padStart(DIGITS, '0'), 'latin1')]);
}

/** The number in a key, undefined where it is another kind of key. */
export function numberInKey(bytes: Uint8Array, start: number, length: number): number | undefined {
  if (length !== PREFIX.length + DIGITS) return undefined;
  for (let i = 0; i < PREFIX.length; i += 1) if (bytes[start + i] !== PREFIX[i]) return undefined;
  let number = 0;
  for (let i = start + PREFIX.length; i < start + length; i += 1) number = number * 10 + bytes[i]! - ZERO;
  return number;
}
