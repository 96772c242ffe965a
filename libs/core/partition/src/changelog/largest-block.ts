import { ByteWriter } from '@flatline/base';
import type { SessionEntry } from '@flatline/kinds';
import { encodeImage } from '../entries/entry-image.ts';

/** Of a block's header, with ids, the names of its owner, and holds; and of the record batch that it is alone in. */
const AROUND_BYTES = 4_096;

/** The longest record of the changelog where an entry may be as long as this one: a body is closed once it has `blockBytesMax`. */
export function largestBlockBytes(entry: SessionEntry, maxKeyBytes: number, blockBytesMax: number): number {
  const image = new ByteWriter(64 * 1024);
  encodeImage(entry, image);
  return AROUND_BYTES + blockBytesMax + maxKeyBytes + image.length;
}
