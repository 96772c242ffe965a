import { groupOf, StoredGroup, type StoredImage } from '@flatline/ports';
import { verifyFreeList } from './free-list.ts';
import type { LmdbFile, LmdbHeader } from './lmdb-file.ts';
import { byteOrder, Damaged, isBigValue, nodeAt, nodeKeyLength, nodeKeyStart, nodeValueLength } from './lmdb-page.ts';
import { PageSet } from './page-set.ts';
import {
  addShort,
  type ByteRange,
  CHECKPOINT_TAG,
  decodeLong,
  decodeShort,
  LONG_KEY_TAG,
  SHORT_KEY_TAG,
  wholeOf,
} from './stored-entry.ts';
import { type LeafPage, VerifiedTree } from './verified-tree.ts';

/**
 * All entries of one snapshot, short keys first, those that lie in one page together. A group is valid until the next one.
 * Taking the last one proves that the file is sound from end to end, free list included. @throws Damaged
 */
export function* scanEntries(file: LmdbFile, header: LmdbHeader): Generator<StoredGroup, void, undefined> {
  const inUse = new PageSet(header.lastPage, 'in use');
  const tree = new VerifiedTree(file, header, header.main, inUse, byteOrder);
  const group = new StoredGroup();
  for (const leaf of tree.leaves()) {
    for (let index = 0; index < leaf.nodeCount;) {
      index = fill(group, leaf, index);
      if (group.count > 0) yield group;
      if (index === leaf.nodeCount || group.isFull) continue;
      for (const image of imagesOf(tree, leaf, nodeAt(leaf.bytes, index))) yield groupOf([image]);
      index += 1;
    }
  }
  verifyFreeList(file, header, inUse);
}

/** Entries of a leaf from `index` on that lie in the page itself, as many as the group holds; returns the index of the next one. */
function fill(group: StoredGroup, leaf: LeafPage, index: number): number {
  const { bytes, view, nodeCount } = leaf;
  group.bytes = bytes;
  group.count = 0;
  let next = index;
  for (; next < nodeCount && !group.isFull; next += 1) {
    const node = nodeAt(bytes, next);
    const keyStart = nodeKeyStart(node);
    if (bytes[keyStart] !== SHORT_KEY_TAG || isBigValue(bytes, node)) break;
    addShort(group, view, keyStart, nodeKeyLength(bytes, node), nodeValueLength(bytes, node));
  }
  return next;
}

/** What a node holds that is no entry in the page itself. */
function imagesOf(tree: VerifiedTree, leaf: LeafPage, node: number): readonly StoredImage[] {
  const key = { bytes: leaf.bytes, start: nodeKeyStart(node), length: nodeKeyLength(leaf.bytes, node) };
  const value = valueOf(tree, leaf, node);
  const tag = leaf.bytes[key.start];
  if (tag === SHORT_KEY_TAG) return [decodeShort(key, value)];
  if (tag === LONG_KEY_TAG) return decodeLong(key, value);
  if (tag === CHECKPOINT_TAG) return [];
  throw new Damaged('unreadable', `a key that begins with ${String(tag)}`);
}

function valueOf(tree: VerifiedTree, leaf: LeafPage, node: number): ByteRange {
  if (isBigValue(leaf.bytes, node)) return wholeOf(tree.bigValue(leaf, node));
  const start = nodeKeyStart(node) + nodeKeyLength(leaf.bytes, node);
  return { bytes: leaf.bytes, start, length: nodeValueLength(leaf.bytes, node) };
}
