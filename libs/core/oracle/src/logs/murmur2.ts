// The hash by which Java's clients, kafkajs and the SDK choose a key's partition (32-bit murmur2, Austin Appleby, public domain).
// Written a second time, as the product's own would misplace a key here just as it does there.

const FACTOR = 0x5bd1e995;
const SEED = 0x9747b28c;
const WORD_BYTES = 4;

/** Returns the key's partition, of that many. */
export function murmur2Partition(key: Uint8Array, partitions: number): number {
  // The sign bit is cleared, not negated.
  return (murmur2(key) % 2 ** 31) % partitions;
}

/** Unsigned. */
export function murmur2(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const words = Math.floor(bytes.length / WORD_BYTES);
  let hash = SEED ^ bytes.length;
  for (let word = 0; word < words; word += 1) {
    const mixed = Math.imul(view.getUint32(word * WORD_BYTES, true), FACTOR);
    hash = Math.imul(hash, FACTOR) ^ Math.imul(mixed ^ (mixed >>> 24), FACTOR);
  }
  const rest = bytes.subarray(words * WORD_BYTES);
  if (rest.length > 0) hash = Math.imul(hash ^ rest.reduce((sum, byte, at) => sum + byte * 256 ** at, 0), FACTOR);
  hash = Math.imul(hash ^ (hash >>> 13), FACTOR);
  return (hash ^ (hash >>> 15)) >>> 0;
}
