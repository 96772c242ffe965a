const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;

/**
 * The partition that Java's default partitioner gives a record with this key, so that all producers of a topic agree:
 * murmur2 (Austin Appleby, public domain), sign bit cleared, modulo the number of partitions.
 */
export function partitionOf(key: Uint8Array, partitionCount: number): number {
  return (murmur2(key) & 0x7fffffff) % partitionCount;
}

/** As org.apache.kafka.common.utils.Utils.murmur2: a signed 32-bit integer. */
export function murmur2(bytes: Uint8Array): number {
  const { length } = bytes;
  const whole = length & ~3;
  let hash = SEED ^ length;
  for (let at = 0; at < whole; at += 4) {
    // In range by construction: at + 3 < whole.
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    word = Math.imul(word, MULTIPLIER);
    word ^= word >>> 24;
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER);
  }
  const rest = length & 3;
  if (rest === 3) hash ^= bytes[whole + 2]! << 16;
  if (rest >= 2) hash ^= bytes[whole + 1]! << 8;
  if (rest >= 1) hash = Math.imul(hash ^ bytes[whole]!, MULTIPLIER);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, MULTIPLIER);
  return hash ^ (hash >>> 15);
}
