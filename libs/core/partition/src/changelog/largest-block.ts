/** A block's header, with ids, the names of its owner, and holds; and the record batch that it is alone in. */
const AROUND_BYTES = 4_096;

/** The longest record of the changelog where an image may have `imageBytes`: a body is closed once it has `blockBytesMax`. */
export function largestBlockBytes(imageBytes: number, maxKeyBytes: number, blockBytesMax: number): number {
  return AROUND_BYTES + blockBytesMax + maxKeyBytes + imageBytes;
}
