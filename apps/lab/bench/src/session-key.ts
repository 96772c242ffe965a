const { imul } = Math;

/** Bytes of a key, a UUID as text. */
export const KEY_BYTES = 36;
const GROUP_ENDS: readonly number[] = [8, 13, 18, 23];
const DASH = 0x2d;
const HEX = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

/** Writes the key of session `index`: random enough, a UUID like most session ids, recomputed instead of stored. Same seed, same keys. */
export function writeSessionKey(index: number, seed: number, into: Uint8Array): void {
  let word = 0;
  let digits = 0;
  for (let at = 0; at < KEY_BYTES; at += 1) {
    if (GROUP_ENDS.includes(at)) {
      into[at] = DASH;
      continue;
    }
    if ((digits & 7) === 0) word = mixed((index << 2) | (digits >>> 3), seed);
    into[at] = HEX[(word >>> ((digits & 7) << 2)) & 15]!;
    digits += 1;
  }
}

export function sessionKey(index: number, seed: number): Buffer {
  const key = Buffer.alloc(KEY_BYTES);
  writeSessionKey(index, seed, key);
  return key;
}

/** MurmurHash3's finalizer: maps distinct numbers to distinct numbers, so no two sessions share a key. */
function mixed(number: number, seed: number): number {
  let h = number ^ imul(seed, 0x9e3779b1);
  h ^= h >>> 16;
  h = imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}
