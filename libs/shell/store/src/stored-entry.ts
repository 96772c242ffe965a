// How entries lie in the store: a node key, and a value sealed with a checksum.
//
//   short key   node key: 1, key                  value: changelog offset varint · image · checksum u32
//   long key    node key: 2, SHA-256 of the key   value: (key block · offset varint · image block)… · checksum u32
//
// LMDB's keys end at 511 bytes on the smallest page, ours may have 64 KiB. Long keys with the same hash share a value,
// so a collision costs a comparison and is never a wrong answer.
//
// The checksum is MurmurHash3 over node key and value: each of its steps is a bijection of the state, so damage inside
// one aligned word is always found, any other but for 1 in 2^32. In plain JS it costs a third of a call into native code.
import { ByteReader, type ByteWriter, hashBytes, hashView, MalformedBytes } from '@flatline/base';
import type { ImagePlace, StoredGroup, StoredImage } from '@flatline/ports';
import { createHash } from 'node:crypto';
import { Damaged, u32At } from './lmdb-page.ts';

/** Longest key that is a node key itself: with its tag it fits LMDB's limit on pages of 4 KiB. */
export const SHORT_KEY_MAX_BYTES = 511;
export const CHECKPOINT_TAG = 0;
export const SHORT_KEY_TAG = 1;
export const LONG_KEY_TAG = 2;
const CHECKSUM_BYTES = 4;
const CHECKSUM_SEED = 0x666c6174;
/** Longest varint below 2^53. */
const OFFSET_BYTES_MAX = 8;

export type KeyHash = (key: Uint8Array) => Uint8Array;

export function sha256(key: Uint8Array): Uint8Array {
  return createHash('sha256').update(key).digest();
}

/** A part of a page or of an overflow run, as a walk meets it. */
export interface ByteRange {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly length: number;
}

/** Ends a value: everything in `value` so far, under `nodeKey`. */
export function seal(nodeKey: Uint8Array, value: ByteWriter): void {
  const bytes = value.peek();
  value.u32(checksum(wholeOf(nodeKey), bytes, 0, bytes.length));
}

/** Length of what was sealed. @throws Damaged where checksum and bytes disagree. */
export function unseal(nodeKey: ByteRange, value: ByteRange): number {
  const length = value.length - CHECKSUM_BYTES;
  const sound =
    length >= 0 && checksum(nodeKey, value.bytes, value.start, length) === u32At(value.bytes, value.start + length);
  if (!sound) throw new Damaged('checksum', 'checksum of a value');
  return length;
}

export function wholeOf(bytes: Uint8Array): ByteRange {
  return { bytes, start: 0, length: bytes.length };
}

function checksum(nodeKey: ByteRange, bytes: Uint8Array, start: number, length: number): number {
  const keyHash = hashBytes(nodeKey.bytes, nodeKey.start, nodeKey.length, CHECKSUM_SEED);
  return hashBytes(bytes, start, length, keyHash) >>> 0;
}

/** Writes the value of a short key into the emptied writer. */
export function encodeShort(
  nodeKey: Uint8Array,
  { bytes, imageStart, imageLength, changelogOffset }: ImagePlace,
  into: ByteWriter,
): void {
  into.clear();
  into.varint(changelogOffset);
  into.raw(bytes, imageStart, imageLength);
  seal(nodeKey, into);
}

/** Writes the value of a long key into the emptied writer. */
export function encodeLong(nodeKey: Uint8Array, entries: readonly StoredImage[], into: ByteWriter): void {
  into.clear();
  for (const entry of entries) {
    into.block(entry.key);
    into.varint(entry.changelogOffset);
    into.block(entry.image);
  }
  seal(nodeKey, into);
}

/**
 * Adds the entry of a short key to a group that has room, out of a node that lies in the group's bytes, as `view` shows them:
 * the key from `keyStart` on, and behind it the value. @throws Damaged
 */
export function addShort(
  group: StoredGroup,
  view: DataView,
  keyStart: number,
  keyLength: number,
  valueLength: number,
): void {
  const start = keyStart + keyLength;
  const length = valueLength - CHECKSUM_BYTES;
  if (length < 0 || checksumOf(view, keyStart, keyLength, length) !== view.getUint32(start + length, true))
    throw new Damaged('checksum', 'checksum of a value');
  const at = group.count;
  group.starts[at] = keyStart + 1;
  group.lengths[at] = keyLength - 1;
  group.imageStarts[at] = readOffset(group, start);
  group.imageEnds[at] = start + length;
  if (group.imageStarts[at] > start + length) throw new Damaged('format', 'a value that ends in its changelog offset');
  group.count += 1;
}

/** Reads the changelog offset of the group's next entry, a varint, and returns where it ends. @throws Damaged */
function readOffset(group: StoredGroup, start: number): number {
  const { bytes } = group;
  let offset = 0;
  let scale = 1;
  for (let at = start; at < start + OFFSET_BYTES_MAX; at += 1) {
    const byte = bytes[at]!;
    offset += (byte & 0x7f) * scale;
    if (byte >= 0x80) {
      scale *= 128;
      continue;
    }
    if (offset > Number.MAX_SAFE_INTEGER) break;
    group.changelogOffsets[group.count] = offset;
    return at + 1;
  }
  throw new Damaged('format', 'a changelog offset beyond 2^53');
}

/** The same as `checksum`, four bytes at a time, of a key and what follows it. */
function checksumOf(view: DataView, keyStart: number, keyLength: number, length: number): number {
  return hashView(view, keyStart + keyLength, length, hashView(view, keyStart, keyLength, CHECKSUM_SEED)) >>> 0;
}

/** The entry of a short key; its buffers are views. @throws Damaged */
export function decodeShort(nodeKey: ByteRange, value: ByteRange): StoredImage {
  const end = value.start + unseal(nodeKey, value);
  const reader = new ByteReader(value.bytes, value.start, end);
  const changelogOffset = readingSealed(() => reader.varint());
  const key = nodeKey.bytes.subarray(nodeKey.start + 1, nodeKey.start + nodeKey.length);
  return { key, image: value.bytes.subarray(reader.position, end), changelogOffset };
}

/** The entries that share the hash of a long key; their buffers are views. @throws Damaged */
export function decodeLong(nodeKey: ByteRange, value: ByteRange): StoredImage[] {
  const reader = new ByteReader(value.bytes, value.start, value.start + unseal(nodeKey, value));
  const entries: StoredImage[] = [];
  readingSealed(() => {
    while (reader.remaining > 0)
      entries.push({ key: reader.block(), changelogOffset: reader.varint(), image: reader.block() });
  });
  return entries;
}

/** Bytes whose checksum holds and that still make no sense come from another version of this file. */
export function readingSealed<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof MalformedBytes) throw new Damaged('format', error.message);
    throw error;
  }
}
