// Names of headers as bytes, and back. They are few and chosen by programs: those known are found in a tenth of the time that encoding
// or decoding them takes. A caller that invents them pays for that each time.
import { copyBytes, utf8Of } from '@flatline/base';

const NAMES_MAX = 256;
const NAME_BYTES_MAX = 256;
const byText = new Map<string, Uint8Array>();
/** Each has a place by length and last byte, which another one may take. */
const byBytes: { bytes: Uint8Array; text: string }[] = Array.from({ length: NAMES_MAX }, () => ({
  bytes: new Uint8Array(0),
  text: '',
}));
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function nameBytes(text: string): Uint8Array {
  const known = byText.get(text);
  if (known !== undefined) return known;
  const bytes = utf8Of(text);
  if (byText.size < NAMES_MAX && bytes.length <= NAME_BYTES_MAX) byText.set(text, bytes);
  return bytes;
}

export function nameText(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start;
  if (length === 0) return '';
  const place = (length + 31 * bytes[end - 1]!) % NAMES_MAX;
  const known = byBytes[place]!;
  if (known.bytes.length === length && isAt(known.bytes, bytes, start)) return known.text;
  const name = copyBytes(bytes, start, end);
  const text = utf8.decode(name);
  if (length <= NAME_BYTES_MAX) byBytes[place] = { bytes: name, text };
  return text;
}

function isAt(wanted: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < wanted.length; i += 1) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}
