import { ByteWriter } from '@flatline/base';
import type { ImagePlace, StoreChanges, StoredImage } from '@flatline/ports';
import type { WriteTransaction } from './lmdb-environment.ts';
import {
  decodeLong,
  encodeLong,
  encodeShort,
  type KeyHash,
  LONG_KEY_TAG,
  SHORT_KEY_MAX_BYTES,
  SHORT_KEY_TAG,
  wholeOf,
} from './stored-entry.ts';

/** Turns changes into puts and removals of one transaction. */
export class EntryWriter {
  readonly #keyHash: KeyHash;
  readonly #nodeKey = new Uint8Array(1 + SHORT_KEY_MAX_BYTES);
  /** Views of it, by the length of the key: keys of one kind have one length. */
  readonly #nodeKeys: (Uint8Array | undefined)[] = [];
  readonly #value = new ByteWriter();

  constructor(keyHash: KeyHash) {
    this.#keyHash = keyHash;
  }

  /** Removals, then puts. Returns by how much the number of entries that share a hash with another has changed. @throws Damaged */
  apply(changes: StoreChanges, transaction: WriteTransaction): number {
    let shared = 0;
    for (const key of changes.removals) {
      if (key.length > SHORT_KEY_MAX_BYTES) shared += this.#replaceLong(key, undefined, transaction);
      else transaction.remove(this.#shortNodeKey(key, 0, key.length));
    }
    for (const place of changes.puts) {
      if (place.keyLength <= SHORT_KEY_MAX_BYTES) this.#putShort(place, transaction);
      else {
        const entry = storedImage(place);
        shared += this.#replaceLong(entry.key, entry, transaction);
      }
    }
    return shared;
  }

  #putShort(place: ImagePlace, transaction: WriteTransaction): void {
    const nodeKey = this.#shortNodeKey(place.bytes, place.keyStart, place.keyLength);
    encodeShort(nodeKey, place, this.#value);
    transaction.put(nodeKey, this.#value.peek());
  }

  /** Valid until the next call. */
  #shortNodeKey(bytes: Uint8Array, start: number, length: number): Uint8Array {
    const nodeKey = this.#nodeKey;
    nodeKey[0] = SHORT_KEY_TAG;
    for (let i = 0; i < length; i += 1) nodeKey[1 + i] = bytes[start + i]!;
    return (this.#nodeKeys[length] ??= nodeKey.subarray(0, 1 + length));
  }

  #replaceLong(key: Uint8Array, entry: StoredImage | undefined, transaction: WriteTransaction): number {
    const nodeKey = new Uint8Array([LONG_KEY_TAG, ...this.#keyHash(key)]);
    const stored = transaction.get(nodeKey);
    const before = stored === undefined ? [] : decodeLong(wholeOf(nodeKey), wholeOf(stored));
    const after = before.filter((other) => Buffer.compare(other.key, key) !== 0);
    if (entry !== undefined) after.push(entry);
    if (after.length === 0) transaction.remove(nodeKey);
    else {
      encodeLong(nodeKey, after, this.#value);
      transaction.put(nodeKey, this.#value.peek());
    }
    return Math.max(after.length - 1, 0) - Math.max(before.length - 1, 0);
  }
}

function storedImage({
  bytes,
  keyStart,
  keyLength,
  imageStart,
  imageLength,
  changelogOffset,
}: ImagePlace): StoredImage {
  const key = bytes.subarray(keyStart, keyStart + keyLength);
  return { key, image: bytes.subarray(imageStart, imageStart + imageLength), changelogOffset };
}
