import type { LmdbFile, LmdbHeader } from './lmdb-file.ts';
import {
  Damaged,
  integerOrder,
  isBigValue,
  nodeAt,
  nodeKeyLength,
  nodeKeyStart,
  nodeValueLength,
  u32At,
  u64At,
} from './lmdb-page.ts';
import { PageSet } from './page-set.ts';
import { type LeafPage, VerifiedTree } from './verified-tree.ts';

const SIGN_BIT = 0x80000000;

/**
 * Proves that LMDB will not hand out a page that is in use: the next write would otherwise land on live rows.
 * `inUse` holds the pages of the main tree; those of the list itself are added. @throws Damaged
 */
export function verifyFreeList(file: LmdbFile, header: LmdbHeader, inUse: PageSet): void {
  const free = new PageSet(header.lastPage, 'free');
  const tree = new VerifiedTree(file, header, header.free, inUse, integerOrder);
  for (const leaf of tree.leaves())
    for (let index = 0; index < leaf.nodeCount; index += 1)
      addRecord(free, recordOf(tree, leaf, nodeAt(leaf.bytes, index)));
  const common = inUse.common(free);
  if (common !== undefined) throw new Damaged('unreadable', `page ${common} is both free and in use`);
}

function recordOf(tree: VerifiedTree, leaf: LeafPage, node: number): Uint8Array {
  if (isBigValue(leaf.bytes, node)) return tree.bigValue(leaf, node);
  const start = nodeKeyStart(node) + nodeKeyLength(leaf.bytes, node);
  return leaf.bytes.subarray(start, start + nodeValueLength(leaf.bytes, node));
}

/**
 * One record: a count of words, then the words: 0 is nothing, a positive one a page, a negative one the size of the stretch
 * of pages that begins at the word after it (lmdb-js' own form of LMDB's list).
 */
function addRecord(free: PageSet, record: Uint8Array): void {
  const words = record.length < 8 ? -1 : u64At(record, 0);
  if (words < 0 || (words + 1) * 8 > record.length)
    throw new Damaged('unreadable', 'a record of the free list is cut off');
  for (let at = 8; at <= words * 8; at += 8) {
    let size = 1;
    if (isNegative(record, at)) {
      size = negated(record, at);
      at += 8;
      // The page may be in the next record, and then LMDB forgets the stretch: lost space, no danger.
      if (at > words * 8) return;
    }
    const page = u64At(record, at);
    if (page !== 0) free.add(page, size);
  }
}

function isNegative(record: Uint8Array, at: number): boolean {
  return record[at + 7]! >= 0x80;
}

/** Stretches are shorter than 2^31 pages: the high half of a sound negative word is all ones. */
function negated(record: Uint8Array, at: number): number {
  const low = u32At(record, at);
  if (u32At(record, at + 4) !== 0xffffffff || low < SIGN_BIT)
    throw new Damaged('unreadable', 'a stretch of the free list');
  return 2 ** 32 - low;
}
