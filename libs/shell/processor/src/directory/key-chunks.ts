/** Most keys of one request, and most bytes of them: in base64 they stay below what an HTTP server takes as a body. */
export const KEYS_MAX = 100;
const KEYS_BYTES_MAX = 512 * 1024;

/** In their order; none is empty. */
export function keyChunks(keys: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const chunks: Uint8Array[][] = [];
  let bytes = Infinity;
  for (const key of keys) {
    const last = chunks.at(-1);
    if (last === undefined || last.length >= KEYS_MAX || bytes + key.length > KEYS_BYTES_MAX) {
      chunks.push([key]);
      bytes = key.length;
    } else {
      last.push(key);
      bytes += key.length;
    }
  }
  return chunks;
}
