import type { StoredImage } from '@flatline/task';
import { verifyFreeList } from './free-list.ts';
import type { LmdbFile, LmdbHeader } from './lmdb-file.ts';
import { byteOrder, Damaged, isBigValue, nodeAt, nodeKeyLength, nodeKeyStart, nodeValueLength } from './lmdb-page.ts';
import { PageSet } from './page-set.ts';
import {
  type ByteRange,
  checkpointTag,
  decodeLong,
  decodeShort,
  longKeyTag,
  shortKeyTag,
  wholeOf,
} from './stored-entry.ts';
import { type LeafPage, VerifiedTree } from './verified-tree.ts';

/**
 * All entries of one snapshot, short keys first. Their buffers are views of pages, valid until the next entry. Whoever
 * takes the last one knows that the file is sound from end to end, free list included. @throws Damaged
 */
export function* scanEntries(file: LmdbFile, header: LmdbHeader): Generator<StoredImage, void, undefined> {
  const inUse = new PageSet(header.lastPage, 'in use');
  const tree = new VerifiedTree(file, header, header.main, inUse, byteOrder);
  for (const leaf of tree.leaves()) {
    for (let index = 0; index < leaf.nodeCount; index += 1) {
      const node = nodeAt(leaf.bytes, index);
      const key = { bytes: leaf.bytes, start: nodeKeyStart(node), length: nodeKeyLength(leaf.bytes, node) };
      const value = valueOf(tree, leaf, node);
      const tag = leaf.bytes[key.start];
      if (tag === shortKeyTag) yield decodeShort(key, value);
      else if (tag === longKeyTag) yield* decodeLong(key, value);
      else if (tag !== checkpointTag) throw new Damaged('unreadable', `a key that begins with ${String(tag)}`);
    }
  }
  verifyFreeList(file, header, inUse);
}

function valueOf(tree: VerifiedTree, leaf: LeafPage, node: number): ByteRange {
  if (isBigValue(leaf.bytes, node)) return wholeOf(tree.bigValue(leaf, node));
  const start = nodeKeyStart(node) + nodeKeyLength(leaf.bytes, node);
  return { bytes: leaf.bytes, start, length: nodeValueLength(leaf.bytes, node) };
}
