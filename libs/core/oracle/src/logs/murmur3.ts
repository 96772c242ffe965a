// MurmurHash3 x86_32 (Austin Appleby, public domain), of which the digest in a block header is made (docs/FORMATS.md).

/** Signed. */
export function murmur3(bytes: Uint8Array, seed: number): number {
  let hash = seed;
  for (let at = 0; at < bytes.length; at += 4) {
    const word = bytes.subarray(at, at + 4);
    hash ^= scrambled(littleEndian(word));
    if (word.length === 4) hash = (Math.imul(rotated(hash, 13), 5) + 0xe6546b64) | 0;
  }
  return avalanched(hash ^ bytes.length);
}

function littleEndian(word: Uint8Array): number {
  return word.reduceRight((sum, byte) => (sum << 8) | byte, 0);
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
