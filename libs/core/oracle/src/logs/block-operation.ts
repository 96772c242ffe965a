// The operations of a changelog block as docs/FORMATS.md describes them.
import type { BlockReader } from './block-reader.ts';

export type BlockOperation =
  | { readonly kind: 'remove'; readonly slot: number }
  | { readonly kind: 'bind'; readonly slot: number; readonly key: Uint8Array; readonly head: Uint8Array }
  /** The page becomes its first `at` bytes, followed by these. */
  | {
      readonly kind: 'page' | 'append';
      readonly slot: number;
      readonly page: number;
      readonly at: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'touch'; readonly slot: number; readonly touch: Uint8Array }
  /** Number of its pages that stay. */
  | {
      readonly kind: 'rebind';
      readonly slot: number;
      readonly pages: number;
      readonly key: Uint8Array;
      readonly head: Uint8Array;
    }
  /** Changelog offset of the block that is its base. */
  | { readonly kind: 'based'; readonly slot: number; readonly base: number };

const SLOTS = 2 ** 25;
const KINDS = 16;
const REMOVE = 0;
const BIND = 1;
const PAGE = 2;
const APPEND = 3;
const TOUCH = 4;
/** Code of a touch of three bytes. */
const SHORT_TOUCH = 5;
const SHORTEST = 3;
const REBIND = 14;
const BASED = 15;

/** Reads to the end of the block. @throws NotABlock */
export function readOperations(block: BlockReader): BlockOperation[] {
  const operations: BlockOperation[] = [];
  let slot = 0;
  while (!block.isAtEnd) {
    const tag = block.varint();
    const kind = tag % KINDS;
    slot = (slot + (tag - kind) / KINDS) % SLOTS;
    operations.push(readOperation(block, slot, kind));
  }
  return operations;
}

function readOperation(block: BlockReader, slot: number, kind: number): BlockOperation {
  if (kind === REMOVE) return { kind: 'remove', slot };
  if (kind === BIND) return { kind: 'bind', slot, key: block.bytes(block.varint()), head: block.bytes(block.varint()) };
  if (kind === BASED) return { kind: 'based', slot, base: block.varint() };
  if (kind === REBIND) {
    const pages = block.varint();
    return { kind: 'rebind', slot, pages, key: block.bytes(block.varint()), head: block.bytes(block.varint()) };
  }
  if (kind === PAGE) return { kind: 'page', slot, page: block.varint(), at: 0, bytes: block.bytes(block.varint()) };
  if (kind === APPEND) {
    const page = block.varint();
    const at = block.varint();
    return { kind: 'append', slot, page, at, bytes: block.bytes(block.varint()) };
  }
  const length = kind === TOUCH ? block.varint() : kind - SHORT_TOUCH + SHORTEST;
  return { kind: 'touch', slot, touch: block.bytes(length) };
}
