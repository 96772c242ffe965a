import { ByteWriter } from '@flatline/base';
import type { StoreChanges, StoredImage } from '@flatline/task';
import type { WriteTransaction } from './lmdb-environment.ts';
import {
  decodeLong,
  encodeLong,
  encodeShort,
  type KeyHash,
  longKeyTag,
  shortKeyMaxBytes,
  shortKeyTag,
  wholeOf,
} from './stored-entry.ts';

/** Turns changes into puts and removals of one transaction. */
export class EntryWriter {
  readonly #keyHash: KeyHash;
  readonly #nodeKey = new Uint8Array(1 + shortKeyMaxBytes);
  readonly #value = new ByteWriter();

  constructor(keyHash: KeyHash) {
    this.#keyHash = keyHash;
  }

  /** Removals, then puts. Returns by how much the number of entries that share a hash with another has changed. @throws Damaged */
  apply(changes: StoreChanges, transaction: WriteTransaction): number {
    let shared = 0;
    for (const key of changes.removals) {
      if (key.length > shortKeyMaxBytes) shared += this.#replaceLong(key, undefined, transaction);
      else transaction.remove(this.#shortNodeKey(key));
    }
    for (const entry of changes.puts) {
      if (entry.key.length > shortKeyMaxBytes) shared += this.#replaceLong(entry.key, entry, transaction);
      else this.#putShort(entry, transaction);
    }
    return shared;
  }

  #putShort(entry: StoredImage, transaction: WriteTransaction): void {
    const nodeKey = this.#shortNodeKey(entry.key);
    encodeShort(nodeKey, entry, this.#value);
    transaction.put(nodeKey, this.#value.peek());
  }

  /** Valid until the next call. */
  #shortNodeKey(key: Uint8Array): Uint8Array {
    this.#nodeKey[0] = shortKeyTag;
    this.#nodeKey.set(key, 1);
    return this.#nodeKey.subarray(0, 1 + key.length);
  }

  #replaceLong(key: Uint8Array, entry: StoredImage | undefined, transaction: WriteTransaction): number {
    const nodeKey = new Uint8Array([longKeyTag, ...this.#keyHash(key)]);
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
