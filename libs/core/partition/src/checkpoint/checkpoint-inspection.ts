// The rows on their way to the local store against what is committed: for checks, not for the path of records.
import type { EntryWindow } from '@flatline/kinds';
import type { Changelog } from '../changelog/changelog.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { RowBuffer } from './row-buffer.ts';

/** A row as a store has it. */
export interface StoredImage {
  readonly key: Uint8Array;
  readonly image: Uint8Array;
}

/** All that checkpoints are, between two of their calls. */
export interface CheckpointState {
  readonly table: EntryTable;
  readonly changelog: Changelog;
  readonly view: EntryWindow;
  /** Rows that cuts have taken, and slots whose entries went with them, oldest first; the last is that of the cut in flight. */
  readonly waiting: readonly { readonly rows: RowBuffer; readonly gone: readonly number[] }[];
  readonly isStale: (slot: number) => boolean;
  readonly isOff: boolean;
}

/** Empty where all holds. */
export function checkpointFaults(state: CheckpointState, stored?: ReadonlyMap<number, StoredImage>): string[] {
  if (state.isOff) return [];
  return [...takenFaults(state), ...(stored === undefined ? [] : storedFaults(state, stored))];
}

/** CK2: what a commit in the log has said of an entry that no later one tells of, nor has changed since, is what it is. */
function takenFaults({ table, changelog, view, waiting, isStale }: CheckpointState): string[] {
  const faults: string[] = [];
  const now = new RowBuffer(table);
  const newest = new Map(
    waiting.slice(0, -1).flatMap(({ rows }) => rows.slots.map((slot, row) => [slot, { rows, row }])),
  );
  for (const [slot, { rows, row }] of newest) {
    if (isStale(slot) || !table.isLive(slot) || !changelog.standsAsCommitted(slot)) continue;
    now.clear();
    now.add(view.at(slot), 0);
    if (!isSame(rows.imageOf(row), now.imageOf(0)))
      faults.push(`CK2: the row of slot ${slot} is not what its commit says`);
  }
  return faults;
}

/** CK1: a row that is not stale, nor waits to be written, is as of the last commit. */
function storedFaults(state: CheckpointState, stored: ReadonlyMap<number, StoredImage>): string[] {
  const { table, changelog, view, waiting, isStale } = state;
  const faults: string[] = [];
  const now = new RowBuffer(table);
  const waits = new Set(waiting.flatMap(({ rows, gone }) => [...rows.slots, ...gone]));
  for (let slot = 0; slot < table.slotsEnd; slot += 1) {
    if (isStale(slot) || waits.has(slot) || !changelog.standsAsCommitted(slot)) continue;
    const row = stored.get(slot);
    if (!table.isLive(slot)) {
      if (row !== undefined) faults.push(`CK1: slot ${slot} has a row in the store, and no entry`);
      continue;
    }
    now.clear();
    now.add(view.at(slot), 0);
    if (row === undefined) faults.push(`CK1: slot ${slot} has no row in the store, and is not stale`);
    else if (!isSame(row, now.imageOf(0))) faults.push(`CK1: the row of slot ${slot} is another, and not stale`);
  }
  return faults;
}

function isSame(one: StoredImage, other: StoredImage): boolean {
  return isEqual(one.key, other.key) && isEqual(one.image, other.image);
}

function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}
