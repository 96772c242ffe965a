import { ENTRY_BYTES } from '@flatline/kinds';
import type { EntryTable } from './entry-table.ts';
import { keyBytes } from './key-arena.ts';

/**
 * Upper bounds on what lives in one partition (I7). They decide what is refused, so they must be the same for every owner of the
 * partition and for the checker: constants, except `stateBytesMax`, a setting of the pipeline.
 */
export interface StateLimits {
  readonly entriesMax: number;
  /** Each key rounded up to four bytes. */
  readonly keyBytesMax: number;
  /** States alone. */
  readonly pageBytesMax: number;
  /** Entries, keys and states together; Infinity: no more than these. */
  readonly stateBytesMax: number;
  /** Bytes by which each entry's state may grow without asking (`PipelineKind.dueGrowthMax`): pages have them left. Default: 0. */
  readonly dueGrowthMax?: number;
}

/** Returns the bytes that count towards `stateBytesMax`. */
export function stateBytesOf({ size, keyBytes: used, states }: EntryTable): number {
  return size * ENTRY_BYTES + used + states.bytes;
}

/** True if there is no room for another entry with a key of this length and this much state. */
export function isFullFor(table: EntryTable, limits: StateLimits, length: number, stateBytes: number): boolean {
  const { size, keyBytes: used } = table;
  const { entriesMax, keyBytesMax } = limits;
  const needed = keyBytes(length);
  const entry = { entries: 1, bytes: ENTRY_BYTES + needed };
  return size >= entriesMax || used + needed > keyBytesMax || !fits(table, limits, stateBytes, entry);
}

/** True if states may grow by so many bytes. */
export function hasRoomFor(table: EntryTable, limits: StateLimits, stateBytes: number): boolean {
  return stateBytes <= 0 || fits(table, limits, stateBytes, NOTHING_ELSE);
}

/** Bytes beside a state. */
interface Beside {
  readonly entries: number;
  readonly bytes: number;
}

const NOTHING_ELSE: Beside = { entries: 0, bytes: 0 };

function fits(
  table: EntryTable,
  { pageBytesMax, stateBytesMax, dueGrowthMax = 0 }: StateLimits,
  stateBytes: number,
  { entries, bytes }: Beside,
): boolean {
  const isWithin = stateBytesOf(table) + stateBytes + bytes <= stateBytesMax;
  return isWithin && table.states.bytes + stateBytes + dueGrowthMax * (table.size + entries) <= pageBytesMax;
}

/** 1: nothing more can be opened, or nothing grow. */
export function fillOf(table: EntryTable, limits: StateLimits): number {
  const { size, keyBytes: used, states } = table;
  const { entriesMax, keyBytesMax, pageBytesMax, stateBytesMax } = limits;
  const shares = [size / entriesMax, used / keyBytesMax, states.bytes / pageBytesMax];
  return Math.max(...shares, stateBytesOf(table) / stateBytesMax);
}

/** For an operator: what lives here, and the limits. */
export function fullness(table: EntryTable, limits: StateLimits): string {
  const { size, keyBytes: used, states } = table;
  const { entriesMax, keyBytesMax, pageBytesMax, stateBytesMax } = limits;
  const found = `${size} entries live here, with ${used} bytes of keys and ${states.bytes} of states`;
  const most = `at most ${entriesMax}, ${keyBytesMax} and ${pageBytesMax} fit one partition`;
  if (stateBytesMax === Infinity) return `${found}; ${most}`;
  return `${found}: ${stateBytesOf(table)} bytes, maxStateBytes is ${stateBytesMax}; ${most}`;
}
