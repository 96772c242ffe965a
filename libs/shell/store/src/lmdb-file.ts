// Reads an LMDB data file without LMDB: its header, its pages, and the value of its first key.
//
// LMDB trusts its file. Handed a truncated one it dies of SIGBUS; handed a damaged key length, lmdb-js copies past the
// end of a 4 KB buffer. Both were tried, and both kill the process at every restart. So nothing is given to it that
// this reader has not walked from end to end (verified-tree.ts), and as that walk passes every row anyway, it is also
// how a store is restored: pages are read in place, without a call into native code per row.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import {
  BIG_VALUE_BYTES,
  checkedNodeCount,
  BRANCH_PAGE,
  Damaged,
  isBigValue,
  isPage,
  LEAF_PAGE,
  META_PAGE,
  nodeAt,
  nodeChild,
  nodeKeyLength,
  nodeKeyStart,
  nodeValueLength,
  OVERFLOW_PAGE,
  PAGE_HEADER_BYTES,
  u16At,
  u32At,
  u64At,
} from './lmdb-page.ts';

export interface LmdbTree {
  readonly depth: number;
  readonly branchPages: number;
  readonly leafPages: number;
  readonly overflowPages: number;
  readonly entries: number;
  /** undefined: the tree is empty. */
  readonly root: number | undefined;
}

/** One committed snapshot. */
export interface LmdbHeader {
  readonly pageSize: number;
  readonly transaction: number;
  /** Greatest page number ever used. */
  readonly lastPage: number;
  /** Pages to reuse, by the transaction that freed them. */
  readonly free: LmdbTree;
  readonly main: LmdbTree;
}

const MAGIC = 0xbeefc0de;
const DATA_VERSION = 2;
const META_BYTES = 168;
/** MDB_NOSUBDIR, the one flag we open with that LMDB stores, and MDB_INTEGERKEY of the free list. */
const EXPECTED_FLAGS = 0x4008;
const pageSizes: readonly number[] = [4096, 8192, 16384, 32768, 65536];
/** Pages at the end that a transaction took and gave back are not written: the file ends before them. 4 GiB of them. */
const UNWRITTEN_PAGES_MAX = 2 ** 20;
/** Deeper than any file of 2^48 pages. */
const DEPTH_MAX = 32;

export class LmdbFile {
  readonly path: string;
  readonly #descriptor: number;

  /** @throws ENOENT and the like; nothing is read yet. */
  constructor(path: string) {
    this.path = path;
    this.#descriptor = openSync(path, 'r');
  }

  /** The newest snapshot. @throws Damaged */
  header(): LmdbHeader {
    const first = this.#meta(0);
    const second = this.#meta(first.pageSize);
    if (second.pageSize !== first.pageSize) throw new Damaged('unreadable', 'the two headers give two page sizes');
    if (!areSuccessive(first.transaction, second.transaction))
      throw new Damaged('unreadable', `headers of transactions ${first.transaction} and ${second.transaction}`);
    const newest = second.transaction > first.transaction ? second : first;
    const filePages = Math.ceil(fstatSync(this.#descriptor).size / newest.pageSize);
    if (newest.lastPage > filePages + UNWRITTEN_PAGES_MAX)
      throw new Damaged('unreadable', `last page ${newest.lastPage} in a file of ${filePages}`);
    return newest;
  }

  /** Reads `into.length` bytes of whole pages. @throws Damaged where they are none of the snapshot, or the file ends before. */
  readPages(header: LmdbHeader, pageNumber: number, into: Uint8Array): void {
    if (pageNumber > header.lastPage) throw new Damaged('unreadable', `page ${pageNumber} of ${header.lastPage}`);
    const count = readSync(this.#descriptor, into, 0, into.length, pageNumber * header.pageSize);
    if (count !== into.length) throw new Damaged('unreadable', `the file ends inside page ${pageNumber}`);
  }

  /** A copy of the value of the first key of the main tree, if that key is `key`. @throws Damaged */
  firstValue(header: LmdbHeader, key: Uint8Array): Uint8Array | undefined {
    let pageNumber = header.main.root;
    if (pageNumber === undefined) return undefined;
    const page = new Uint8Array(header.pageSize);
    for (let level = 1; level <= header.main.depth; level += 1) {
      this.readPages(header, pageNumber, page);
      const flags = level === header.main.depth ? LEAF_PAGE : BRANCH_PAGE;
      const { transaction } = header;
      if (checkedNodeCount(page, { number: pageNumber, flags, transaction }) === 0)
        throw new Damaged('unreadable', `page ${pageNumber} is empty`);
      pageNumber = nodeChild(page, nodeAt(page, 0));
    }
    const node = nodeAt(page, 0);
    const start = nodeKeyStart(node);
    const length = nodeKeyLength(page, node);
    if (Buffer.compare(page.subarray(start, start + length), key) !== 0) return undefined;
    if (isBigValue(page, node)) return this.bigValue(header, page, node).bytes;
    return page.slice(start + length, start + length + nodeValueLength(page, node));
  }

  /** The value a leaf node keeps in overflow pages, and which pages these are. @throws Damaged */
  bigValue(header: LmdbHeader, page: Uint8Array, node: number): BigValue {
    const at = nodeKeyStart(node) + nodeKeyLength(page, node);
    const firstPage = u64At(page, at);
    const transaction = u64At(page, at + 8);
    const pages = u64At(page, at + BIG_VALUE_BYTES - 8);
    const length = nodeValueLength(page, node);
    const inside = pages > 0 && firstPage + pages - 1 <= header.lastPage && transaction <= header.transaction;
    if (!inside || length > pages * header.pageSize - PAGE_HEADER_BYTES)
      throw new Damaged('unreadable', `a value of ${length} bytes in ${pages} pages at page ${firstPage}`);
    const bytes = new Uint8Array(pages * header.pageSize);
    this.readPages(header, firstPage, bytes);
    const expected = { number: firstPage, flags: OVERFLOW_PAGE, transaction: header.transaction };
    if (!isPage(bytes, expected) || u32At(bytes, 20) !== pages)
      throw new Damaged('unreadable', `overflow page ${firstPage} has no sound header`);
    return { firstPage, pages, bytes: bytes.subarray(PAGE_HEADER_BYTES, PAGE_HEADER_BYTES + length) };
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  #meta(at: number): LmdbHeader {
    const bytes = new Uint8Array(META_BYTES);
    const count = readSync(this.#descriptor, bytes, 0, META_BYTES, at);
    if (count !== META_BYTES || u16At(bytes, 18) !== META_PAGE || u32At(bytes, 24) !== MAGIC)
      throw new Damaged('unreadable', `no header at ${at}`);
    const version = u32At(bytes, 28);
    if (version !== DATA_VERSION) throw new Damaged('format', `LMDB data version ${version}`);
    const pageSize = u32At(bytes, 48);
    if (!pageSizes.includes(pageSize)) throw new Damaged('unreadable', `page size ${pageSize}`);
    if (u16At(bytes, 52) !== EXPECTED_FLAGS || u16At(bytes, 100) !== 0)
      throw new Damaged('unreadable', `flags in the header at ${at}`);
    return {
      pageSize,
      free: treeAt(bytes, 48),
      main: treeAt(bytes, 96),
      lastPage: u64At(bytes, 144),
      transaction: u64At(bytes, 152),
    };
  }
}

export interface BigValue {
  readonly firstPage: number;
  readonly pages: number;
  readonly bytes: Uint8Array;
}

/**
 * Transactions write the two headers in turns, even ones the first. LMDB takes that for granted: it finds the newest
 * transaction by comparing, and then its header by the number being even or odd.
 */
function areSuccessive(first: number, second: number): boolean {
  if (second === 0) return first === 0;
  return first % 2 === 0 && Math.abs(first - second) === 1;
}

function treeAt(bytes: Uint8Array, at: number): LmdbTree {
  const depth = u16At(bytes, at + 6);
  const entries = u64At(bytes, at + 32);
  if (depth > DEPTH_MAX || (depth === 0) !== (entries === 0))
    throw new Damaged('unreadable', `a tree of ${entries} entries, ${depth} levels deep`);
  return {
    depth,
    branchPages: u64At(bytes, at + 8),
    leafPages: u64At(bytes, at + 16),
    overflowPages: u64At(bytes, at + 24),
    entries,
    // An empty tree's root is all ones.
    root: depth === 0 ? undefined : u64At(bytes, at + 40),
  };
}
