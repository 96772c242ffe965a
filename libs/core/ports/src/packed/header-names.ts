// Names of headers as bytes, and back. They are few and chosen by programs: those known are found in a tenth of the time that encoding
// or decoding them takes. A caller that invents them pays for that each time.
import { copyBytes, utf8Of } from '@flatline/base';

const NAMES_MAX = 256;
const NAME_BYTES_MAX = 256;
const byText = new Map<string, Uint8Array>();
/** Each has a place by length and last byte, which another one may take. */
const byBytes: { bytes: Uint8Array; text: string }[] = [];
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true });

export function nameBytes(text: string): Uint8Array {
  const known = byText.get(text);
  if (known !== undefined) return known;
  const bytes = utf8Of(text);
  if (byText.size < NAMES_MAX && bytes.length <= NAME_BYTES_MAX) byText.set(text, bytes);
  return bytes;
}

export function nameText(bytes: Uint8Array, start: number, end: number): string {
  const place = (end - start + 31 * bytes[end - 1]!) % NAMES_MAX;
  const known = byBytes[place];
  if (known !== undefined && isAt(known.bytes, bytes, start, end)) return known.text;
  const name = copyBytes(bytes, start, end);
  const text = utf8.decode(name);
  if (name.length > 0 && name.length <= NAME_BYTES_MAX) byBytes[place] = { bytes: name, text };
  return text;
}

function isAt(wanted: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  const { length } = wanted;
  if (length !== end - start) return false;
  for (let i = 0; i < length; i += 1) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}
