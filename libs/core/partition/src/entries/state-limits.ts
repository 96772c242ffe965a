import type { EntryTable } from './entry-table.ts';
import { keyBytes } from './key-arena.ts';

/**
 * How much lives in one partition at most (I7). What is refused by them depends on them, so that they are constants: the same for
 * every owner of the partition, and for the checker.
 */
export interface StateLimits {
  readonly entriesMax: number;
  /** Each key rounded up to four bytes. */
  readonly keyBytesMax: number;
}

/** Whether one entry more, with a key of this length, is too much. */
export function isFullFor(
  { size, keyBytes: used }: EntryTable,
  { entriesMax, keyBytesMax }: StateLimits,
  length: number,
): boolean {
  return size >= entriesMax || used + keyBytes(length) > keyBytesMax;
}

/** 1: nothing more can be opened. */
export function fillOf({ size, keyBytes: used }: EntryTable, { entriesMax, keyBytesMax }: StateLimits): number {
  return Math.max(size / entriesMax, used / keyBytesMax);
}
