// Names of headers as bytes. They are few and chosen by programs: those known are found in a tenth of the time that encoding them
// takes. A caller that invents them pays for that each time.
import { utf8Of } from '@flatline/base';

const NAMES_MAX = 256;
const NAME_BYTES_MAX = 256;
const byText = new Map<string, Uint8Array>();

export function nameBytes(text: string): Uint8Array {
  const known = byText.get(text);
  if (known !== undefined) return known;
  const bytes = utf8Of(text);
  if (byText.size < NAMES_MAX && bytes.length <= NAME_BYTES_MAX) byText.set(text, bytes);
  return bytes;
}
