import { hashView } from '@flatline/base';

/** Digests must agree between processes: their seed is a constant of the format. */
const DIGEST_SEED = 0x666c6174;

/**
 * Digest of one entry: of its key, then of its image with the key's digest as `before`. The state's digest is their sum, so
 * order does not matter (R1).
 */
export function digestOf(view: DataView, start: number, length: number, before: number = DIGEST_SEED): number {
  return hashView(view, start, length, before);
}
