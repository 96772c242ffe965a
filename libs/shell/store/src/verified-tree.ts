// One pass over a tree of an LMDB file that proves it sound as far as it has come.
//
// Owns: the page buffers, one for each level.
// Does not own: the file, the set of pages in use (shared by trees).
//
// Invariants, each one checked, a violation is `Damaged`
//   VP1  A page is reached once, lies in the file, carries its own number and no later transaction, and every node lies inside it.
//   VP2  Leaves are exactly at the depth the header gives.
//   VP3  Keys ascend strictly over the whole tree, and stay on their side of every separator above them: LMDB finds
//        each of them where it will look for it.
//   VP4  At the end, pages and entries are as many as the header says.
import {
  BRANCH_PAGE,
  checkedNodeCount,
  copyOfKey,
  Damaged,
  type KeyOrder,
  LEAF_PAGE,
  nodeAt,
  nodeChild,
} from './lmdb-page.ts';
import type { BigValue, LmdbFile, LmdbHeader, LmdbTree } from './lmdb-file.ts';
import type { PageSet } from './page-set.ts';

export interface LeafPage {
  /** Valid until the next leaf. */
  readonly bytes: Uint8Array;
  /** View of the same bytes. */
  readonly view: DataView;
  readonly nodeCount: number;
}

export class VerifiedTree {
  readonly #file: LmdbFile;
  readonly #header: LmdbHeader;
  readonly #tree: LmdbTree;
  readonly #inUse: PageSet;
  readonly #order: KeyOrder;
  readonly #buffers: Uint8Array[] = [];
  readonly #leafView: DataView;
  /** Copies of keys, each a page with its node at 0: the last one passed, and the one that no later key may precede. */
  #previous: Uint8Array | undefined;
  #floor: Uint8Array | undefined;
  #branchPages = 0;
  #leafPages = 0;
  #overflowPages = 0;
  #entries = 0;

  constructor(file: LmdbFile, header: LmdbHeader, tree: LmdbTree, inUse: PageSet, order: KeyOrder) {
    this.#file = file;
    this.#header = header;
    this.#tree = tree;
    this.#inUse = inUse;
    this.#order = order;
    for (let level = 0; level < tree.depth; level += 1) this.#buffers.push(new Uint8Array(header.pageSize));
    this.#leafView = new DataView(this.#buffers.at(-1)?.buffer ?? new ArrayBuffer(0));
  }

  /** All leaves in key order; VP4 is checked once the last has been taken. @throws Damaged */
  *leaves(): Generator<LeafPage, void, undefined> {
    if (this.#tree.root !== undefined) yield* this.#descend(this.#tree.root, 1);
    this.#checkTotals();
  }

  /** The value of a node of the current leaf that lies in overflow pages. @throws Damaged */
  bigValue(leaf: LeafPage, node: number): Uint8Array {
    const value: BigValue = this.#file.bigValue(this.#header, leaf.bytes, node);
    this.#inUse.add(value.firstPage, value.pages);
    this.#overflowPages += value.pages;
    return value.bytes;
  }

  *#descend(pageNumber: number, level: number): Generator<LeafPage, void, undefined> {
    const isLeaf = level === this.#tree.depth;
    const page = this.#buffers[level - 1]!;
    this.#inUse.add(pageNumber, 1);
    this.#file.readPages(this.#header, pageNumber, page);
    const { transaction } = this.#header;
    const nodeCount = checkedNodeCount(page, {
      number: pageNumber,
      flags: isLeaf ? LEAF_PAGE : BRANCH_PAGE,
      transaction,
    });
    if (nodeCount === 0) throw new Damaged('unreadable', `page ${pageNumber} is empty`);
    if (isLeaf) {
      this.#leafPages += 1;
      this.#entries += nodeCount;
      this.#checkOrder(page, nodeCount);
      yield { bytes: page, view: this.#leafView, nodeCount };
      return;
    }
    this.#branchPages += 1;
    for (let index = 0; index < nodeCount; index += 1) {
      // The first separator of a branch is not stored: it is the one above.
      if (index > 0) this.#passSeparator(page, nodeAt(page, index));
      yield* this.#descend(nodeChild(page, nodeAt(page, index)), level + 1);
    }
  }

  #passSeparator(page: Uint8Array, node: number): void {
    if (this.#previous !== undefined && this.#order(this.#previous, 0, page, node) >= 0)
      throw new Damaged('unreadable', 'a key beyond its separator');
    this.#floor = copyOfKey(page, node);
  }

  #checkOrder(page: Uint8Array, nodeCount: number): void {
    const first = nodeAt(page, 0);
    if (this.#floor !== undefined && this.#order(this.#floor, 0, page, first) > 0)
      throw new Damaged('unreadable', 'a key before its separator');
    if (this.#previous !== undefined && this.#order(this.#previous, 0, page, first) >= 0)
      throw new Damaged('unreadable', 'keys out of order between pages');
    let last = first;
    for (let index = 1; index < nodeCount; index += 1) {
      const node = nodeAt(page, index);
      if (this.#order(page, last, page, node) >= 0) throw new Damaged('unreadable', 'keys out of order in a page');
      last = node;
    }
    this.#previous = copyOfKey(page, last);
  }

  #checkTotals(): void {
    const tree = this.#tree;
    const sound =
      tree.entries === this.#entries &&
      tree.leafPages === this.#leafPages &&
      tree.branchPages === this.#branchPages &&
      tree.overflowPages === this.#overflowPages;
    if (!sound) throw new Damaged('unreadable', `${this.#entries} entries where the header says ${tree.entries}`);
  }
}
