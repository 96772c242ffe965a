// Bound once: inside a vm context, as tests run in, each look at a global goes through an interceptor.
const { imul } = Math;

/**
 * 32-bit hash of a byte range: MurmurHash3 x86_32 (Austin Appleby, public domain), result as a signed integer.
 * Seeded: tables over hostile keys (I3) take a seed drawn at start, digests take a constant one.
 */
export function hashBytes(bytes: Uint8Array, start: number, length: number, seed: number): number {
  let h = seed | 0;
  const whole = start + (length & ~3);
  let i = start;
  for (; i < whole; i += 4) {
    // In range by construction: i + 3 < start + length.
    let k = bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    k = imul(k, 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    h ^= imul(k, 0x1b873593);
    h = (h << 13) | (h >>> 19);
    h = (imul(h, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  const rest = length & 3;
  if (rest === 3) tail ^= bytes[i + 2]! << 16;
  if (rest >= 2) tail ^= bytes[i + 1]! << 8;
  if (rest >= 1) {
    tail ^= bytes[i]!;
    tail = imul(tail, 0xcc9e2d51);
    tail = (tail << 15) | (tail >>> 17);
    h ^= imul(tail, 0x1b873593);
  }
  return finished(h, length);
}

function finished(state: number, length: number): number {
  let h = state ^ length;
  h ^= h >>> 16;
  h = imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** `hashBytes` of the bytes of a view, four at a time: two thirds of the cost for keys and images. */
export function hashView(view: DataView, start: number, length: number, seed: number): number {
  let h = seed | 0;
  const whole = start + (length & ~3);
  let i = start;
  for (; i < whole; i += 4) {
    let k = imul(view.getInt32(i, true), 0xcc9e2d51);
    k = (k << 15) | (k >>> 17);
    h ^= imul(k, 0x1b873593);
    h = (h << 13) | (h >>> 19);
    h = (imul(h, 5) + 0xe6546b64) | 0;
  }
  const rest = length & 3;
  if (rest !== 0) {
    let tail = view.getUint8(i);
    if (rest >= 2) tail ^= view.getUint8(i + 1) << 8;
    if (rest === 3) tail ^= view.getUint8(i + 2) << 16;
    tail = imul(tail, 0xcc9e2d51);
    tail = (tail << 15) | (tail >>> 17);
    h ^= imul(tail, 0x1b873593);
  }
  return finished(h, length);
}
