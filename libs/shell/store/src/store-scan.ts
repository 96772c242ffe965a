import { StoredGroup } from '@flatline/ports';
import { verifyFreeList } from './free-list.ts';
import type { LmdbFile, LmdbHeader } from './lmdb-file.ts';
import { byteOrder, Damaged, isBigValue, nodeAt, nodeKeyLength, nodeKeyStart, nodeValueLength } from './lmdb-page.ts';
import { PageSet } from './page-set.ts';
import { CHECKPOINT_TAG, ROW_TAG, RowReader, viewOf } from './stored-row.ts';
import { type LeafPage, VerifiedTree } from './verified-tree.ts';

/**
 * All rows of one snapshot by ascending slot, those that lie in one page together. A group is valid until the next one.
 * Taking the last one proves that the file is sound from end to end, free list included. @throws Damaged
 */
export function* scanRows(file: LmdbFile, header: LmdbHeader): Generator<StoredGroup, void, undefined> {
  const inUse = new PageSet(header.lastPage, 'in use');
  const tree = new VerifiedTree(file, header, header.main, inUse, byteOrder);
  const group = new StoredGroup();
  for (const leaf of tree.leaves()) {
    const rows = new RowReader(leaf.bytes, leaf.view);
    for (let index = 0; index < leaf.nodeCount;) {
      index = fill(group, rows, leaf, index);
      if (group.count > 0) yield group;
      if (index === leaf.nodeCount || group.isFull) continue;
      takeApart(group, tree, leaf, nodeAt(leaf.bytes, index));
      if (group.count > 0) yield group;
      index += 1;
    }
  }
  verifyFreeList(file, header, inUse);
}

/** Rows of a leaf from `index` on that lie in the page itself, as many as the group holds; returns the index of the next node. */
function fill(group: StoredGroup, rows: RowReader, { bytes, nodeCount }: LeafPage, index: number): number {
  rows.begin(group);
  let next = index;
  for (; next < nodeCount && !group.isFull; next += 1) {
    const node = nodeAt(bytes, next);
    const keyStart = nodeKeyStart(node);
    if (bytes[keyStart] !== ROW_TAG || isBigValue(bytes, node)) break;
    rows.add(group, keyStart, nodeKeyLength(bytes, node), nodeValueLength(bytes, node));
  }
  return next;
}

/** The row of a node whose value lies in pages of its own, or none where the node is no row. */
function takeApart(group: StoredGroup, tree: VerifiedTree, leaf: LeafPage, node: number): void {
  const { bytes } = leaf;
  group.count = 0;
  // Looked at whatever node it is: its pages are in use.
  const value = isBigValue(bytes, node) ? tree.bigValue(leaf, node) : undefined;
  const keyStart = nodeKeyStart(node);
  const tag = bytes[keyStart];
  if (tag === CHECKPOINT_TAG) return;
  if (tag !== ROW_TAG || value === undefined) throw new Damaged('unreadable', `a key that begins with ${String(tag)}`);
  const keyLength = nodeKeyLength(bytes, node);
  const copy = new Uint8Array(keyLength + value.length);
  copy.set(bytes.subarray(keyStart, keyStart + keyLength));
  copy.set(value, keyLength);
  const rows = new RowReader(copy, viewOf(copy));
  rows.begin(group);
  rows.add(group, 0, keyLength, value.length);
}
