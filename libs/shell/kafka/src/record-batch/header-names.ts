// Names of headers as texts. They are few and chosen by programs: those known are found by comparing a few bytes, a tenth of what
// decoding them takes. A caller that invents them pays for that each time.
import { copyBytes } from '@flatline/base';

const NAMES_MAX = 256;
const NAME_BYTES_MAX = 256;
/** Each has a place by length and last byte, which another one may take. */
const byBytes: { bytes: Uint8Array; text: string }[] = Array.from({ length: NAMES_MAX }, () => ({
  bytes: new Uint8Array(0),
  text: '',
}));

export function nameText(bytes: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return '';
  const place = (length + 31 * bytes[end - 1]!) % NAMES_MAX;
  const known = byBytes[place]!;
  if (known.bytes.length === length && isAt(known.bytes, bytes, start)) return known.text;
  const text = bytes.toString('utf8', start, end);
  if (length <= NAME_BYTES_MAX) byBytes[place] = { bytes: copyBytes(bytes, start, end), text };
  return text;
}

function isAt(wanted: Uint8Array, bytes: Buffer, start: number): boolean {
  for (let i = 0; i < wanted.length; i += 1) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}
