// The layout of LMDB's pages (data version 2, as lmdb 3.5.6 writes it: 64-bit words, little-endian), and the check
// that a page says nothing that leads outside of itself.
//
//   page    number u64 · transaction u64 · pad u16 · flags u16 · lower u16 · upper u16 · pointers u16… · … nodes
//   node    length or child, low 32 bits · flags, or child's high 16 bits · key length u16 · key · value (leaf)
//   big     a leaf node with BIG_VALUE holds {page number u64, transaction u64, pages u64} of a stretch of overflow pages
//
// Pointers and bounds count from the end of the page's header.

/** Bytes of a file that are not what LMDB would have written. The caller says what was being read. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
  readonly reason: 'format' | 'checksum' | 'unreadable';
  constructor(reason: 'format' | 'checksum' | 'unreadable', detail: string) {
    super(detail);
    this.reason = reason;
  }
}

export const PAGE_HEADER_BYTES = 24;
export const BRANCH_PAGE = 1;
export const LEAF_PAGE = 2;
export const OVERFLOW_PAGE = 4;
export const META_PAGE = 8;
const BIG_VALUE = 1;
/** Size of the value of a node with `bigValue`. */
export const BIG_VALUE_BYTES = 24;
const NODE_HEADER_BYTES = 8;

export function u16At(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

export function u32At(bytes: Uint8Array, at: number): number {
  return (u16At(bytes, at) | (u16At(bytes, at + 2) << 16)) >>> 0;
}

/** @throws Damaged above 2^53 − 1: no page number, count or transaction of a real file gets there. */
export function u64At(bytes: Uint8Array, at: number): number {
  const value = u32At(bytes, at) + u32At(bytes, at + 4) * 2 ** 32;
  if (!Number.isSafeInteger(value)) throw new Damaged('unreadable', `a 64-bit word at ${at} is beyond 2^53`);
  return value;
}

/** Offset of node `index` in its page. */
export function nodeAt(page: Uint8Array, index: number): number {
  return PAGE_HEADER_BYTES + u16At(page, PAGE_HEADER_BYTES + 2 * index);
}

export function nodeKeyStart(node: number): number {
  return node + NODE_HEADER_BYTES;
}

export function nodeKeyLength(page: Uint8Array, node: number): number {
  return u16At(page, node + 6);
}

export function isBigValue(page: Uint8Array, node: number): boolean {
  return page[node + 4] === BIG_VALUE;
}

/** Length of a leaf node's value, wherever it lies. */
export function nodeValueLength(page: Uint8Array, node: number): number {
  return u32At(page, node);
}

/** Page number a branch node leads to. */
export function nodeChild(page: Uint8Array, node: number): number {
  return u32At(page, node) + u16At(page, node + 4) * 2 ** 32;
}

/** Identity that a page is expected to have. */
export interface PageIdentity {
  readonly number: number;
  readonly flags: number;
  /** The snapshot's. LMDB takes a page of a later one for its own copy in memory, and would write into the map. */
  readonly transaction: number;
}

/** True if a page is the one asked for. @throws Damaged */
export function isPage(page: Uint8Array, { number, flags, transaction }: PageIdentity): boolean {
  return u64At(page, 0) === number && u64At(page, 8) <= transaction && u16At(page, 18) === flags;
}

/**
 * Number of nodes of a branch or leaf page, after checking that the page is the one asked for and that every node lies
 * inside it. @throws Damaged
 */
export function checkedNodeCount(page: Uint8Array, expected: PageIdentity): number {
  const { number: pageNumber, flags } = expected;
  const lower = u16At(page, 20);
  const upper = u16At(page, 22);
  const room = page.length - PAGE_HEADER_BYTES;
  const sound = isPage(page, expected) && lower % 2 === 0 && lower <= upper && upper <= room;
  if (!sound) throw new Damaged('unreadable', `page ${pageNumber} has no sound header`);
  const count = lower / 2;
  for (let index = 0; index < count; index += 1) {
    const node = nodeAt(page, index);
    const pointer = node - PAGE_HEADER_BYTES;
    if (pointer < upper || pointer + NODE_HEADER_BYTES + inlineBytes(page, node, flags) > room)
      throw new Damaged('unreadable', `node ${index} of page ${pageNumber} lies outside the page`);
  }
  return count;
}

/** Bytes of key and value inside the page; more than any page holds where the node's flags are none that we write. */
function inlineBytes(page: Uint8Array, node: number, flags: number): number {
  if (node + NODE_HEADER_BYTES > page.length) return Infinity;
  const keyLength = nodeKeyLength(page, node);
  if (flags === BRANCH_PAGE) return keyLength;
  const nodeFlags = u16At(page, node + 4);
  if (nodeFlags === 0) return keyLength + nodeValueLength(page, node);
  return nodeFlags === BIG_VALUE ? keyLength + BIG_VALUE_BYTES : Infinity;
}

/** Orders the keys of two nodes, each in a page: negative where the left one comes first. */
export type KeyOrder = (left: Uint8Array, leftNode: number, right: Uint8Array, rightNode: number) => number;

/** LMDB's default: byte by byte, a prefix first. */
export function byteOrder(left: Uint8Array, leftNode: number, right: Uint8Array, rightNode: number): number {
  const leftLength = nodeKeyLength(left, leftNode);
  const rightLength = nodeKeyLength(right, rightNode);
  const leftKey = nodeKeyStart(leftNode);
  const rightKey = nodeKeyStart(rightNode);
  const common = Math.min(leftLength, rightLength);
  for (let i = 0; i < common; i += 1) {
    const difference = left[leftKey + i]! - right[rightKey + i]!;
    if (difference !== 0) return difference;
  }
  return leftLength - rightLength;
}

/** Order of the free list, whose keys are transaction numbers. @throws Damaged where a key is not of 8 bytes. */
export function integerOrder(left: Uint8Array, leftNode: number, right: Uint8Array, rightNode: number): number {
  if (nodeKeyLength(left, leftNode) !== 8 || nodeKeyLength(right, rightNode) !== 8)
    throw new Damaged('unreadable', 'a key of the free list is not a transaction');
  return u64At(left, nodeKeyStart(leftNode)) - u64At(right, nodeKeyStart(rightNode));
}

/** The bytes of a node's header and key, to be compared after its page is gone: a page with its node at 0. */
export function copyOfKey(page: Uint8Array, node: number): Uint8Array {
  return page.slice(node, nodeKeyStart(node) + nodeKeyLength(page, node));
}
