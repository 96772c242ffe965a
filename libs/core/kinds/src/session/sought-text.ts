// A text as the bytes that a search compares.
import { ByteWriter } from '@flatline/base';

/** UTF-16 units of the longest text whose memory is kept; one takes at most three bytes. */
const KEPT_LENGTH_MAX = 16 * 1024;

const scratch = new ByteWriter(256);

/** Its length as a varint, then UTF-8: as texts are kept. Valid until the next call. */
export function soughtText(text: string): Uint8Array {
  const out = text.length <= KEPT_LENGTH_MAX ? scratch : new ByteWriter();
  out.clear();
  out.text(text);
  return out.peek();
}
