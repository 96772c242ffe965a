// MurmurHash3 x86_32 (Austin Appleby, public domain), the basis of the digest in a block header (docs/FORMATS.md).

/** Signed. */
export function murmur3(bytes: Uint8Array, seed: number): number {
  let hash = seed;
  for (let at = 0; at < bytes.length; at += 4) {
    hash ^= scrambled(littleEndian(bytes, at));
    if (at + 4 <= bytes.length) hash = (Math.imul(rotated(hash, 13), 5) + 0xe6546b64) | 0;
  }
  return avalanched(hash ^ bytes.length);
}

/** The word of up to four bytes at `at`. */
function littleEndian(bytes: Uint8Array, at: number): number {
  let word = 0;
  for (let end = Math.min(at + 4, bytes.length) - 1; end >= at; end -= 1) word = (word << 8) | bytes[end]!;
  return word;
}

function scrambled(word: number): number {
  return Math.imul(rotated(Math.imul(word, 0xcc9e2d51), 15), 0x1b873593);
}

function avalanched(hash: number): number {
  const half = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  const whole = Math.imul(half ^ (half >>> 13), 0xc2b2ae35);
  return whole ^ (whole >>> 16);
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
