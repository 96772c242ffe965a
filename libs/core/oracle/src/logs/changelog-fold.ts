// The state that the changelog holds: each key's image after the commits so far, folded as docs/FORMATS.md says (V5).
//
// Owns: images, their places, the digest.      Does not own: what the images should be (NaiveFold).
import { nameOf } from './byte-names.ts';
import type { BlockOperation } from './changelog-block.ts';
import { murmur3 } from './murmur3.ts';

export interface LoggedImage {
  readonly key: Uint8Array;
  readonly image: Uint8Array;
  /** Changelog offset of its block. */
  readonly offset: number;
}

const DIGEST_SEED = 0x666c6174;

export class ChangelogFold {
  /** By the name of the key. */
  readonly images = new Map<string, LoggedImage>();
  #digest = 0;

  /** Unsigned, over the live images, in any order (R1). */
  get digest(): number {
    return this.#digest >>> 0;
  }

  /** Returns the name of the key. */
  apply({ key, image }: BlockOperation, offset: number): string {
    const name = nameOf(key);
    const former = this.images.get(name);
    if (former !== undefined) this.#digest = (this.#digest - digestOf(key, former.image)) | 0;
    this.images.delete(name);
    if (image === undefined) return name;
    this.images.set(name, { key, image, offset });
    this.#digest = (this.#digest + digestOf(key, image)) | 0;
    return name;
  }
}

function digestOf(key: Uint8Array, image: Uint8Array): number {
  return murmur3(image, murmur3(key, DIGEST_SEED));
}
