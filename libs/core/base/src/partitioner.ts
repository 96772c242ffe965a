const SEED = 0x9747b28c;
const MULTIPLIER = 0x5bd1e995;
// Bound once: inside a vm context, as tests run in, each look at a global goes through an interceptor.
const { imul } = Math;

/**
 * The partition that Java's default partitioner gives a record with this key, so that all producers of a topic agree:
 * murmur2 (Austin Appleby, public domain), sign bit cleared, modulo the number of partitions.
 */
export function partitionOf(key: Uint8Array, partitionCount: number): number {
  return partitionOfRange(key, { start: 0, length: key.length }, partitionCount);
}

/** The same of a key among other bytes. */
export function partitionOfRange(
  bytes: Uint8Array,
  { start, length }: { readonly start: number; readonly length: number },
  partitionCount: number,
): number {
  return (murmur2(bytes, start, length) & 0x7fffffff) % partitionCount;
}

/** As org.apache.kafka.common.utils.Utils.murmur2: a signed 32-bit integer. */
export function murmur2(bytes: Uint8Array, start = 0, length: number = bytes.length): number {
  const whole = start + (length & ~3);
  let hash = SEED ^ length;
  for (let at = start; at < whole; at += 4) {
    // In range by construction: at + 3 < start + length.
    let word = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
    word = imul(word, MULTIPLIER);
    word ^= word >>> 24;
    hash = imul(hash, MULTIPLIER) ^ imul(word, MULTIPLIER);
  }
  const rest = length & 3;
  if (rest === 3) hash ^= bytes[whole + 2]! << 16;
  if (rest >= 2) hash ^= bytes[whole + 1]! << 8;
  if (rest >= 1) hash = imul(hash ^ bytes[whole]!, MULTIPLIER);
  hash ^= hash >>> 13;
  hash = imul(hash, MULTIPLIER);
  return hash ^ (hash >>> 15);
}
