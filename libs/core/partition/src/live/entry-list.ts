// Entries in the order of their slots, so many at a time, for whoever lists them (Q1).
//
// An entry keeps its slot for as long as it lives, over restarts, too: one that lives from the first page to the last is on one of
// them. A key that ends and opens again meanwhile may be on two, the later of which is the newer.
import type { EntryWindow } from '@flatline/kinds';
import type { EntryTable } from '../entries/entry-table.ts';

export interface ListAsked {
  /** The first bytes of the keys; empty: any. */
  readonly prefix: Uint8Array;
  readonly fromSlot: number;
  /** Slots that are looked at. */
  readonly slotsMax: number;
  readonly entriesMax: number;
  /** Bytes of keys and states; the entry with which they are reached still comes. */
  readonly bytesMax: number;
}

/** `take`: false where the entry is none of those asked for. Its window is valid during the call. */
export type TakeEntry = (key: Uint8Array, entry: EntryWindow) => boolean;

export interface Listed {
  /** Slot to go on from; undefined: there are no more. */
  readonly nextSlot: number | undefined;
  /** Bytes of keys and states that were taken. */
  readonly bytes: number;
}

export function listEntries(table: EntryTable, asked: ListAsked, take: TakeEntry): Listed {
  const { prefix, fromSlot, slotsMax, entriesMax, bytesMax } = asked;
  const view = table.view();
  const end = Math.min(table.slotsEnd, fromSlot + slotsMax);
  let [slot, entries, bytes] = [fromSlot, 0, 0];
  for (; slot < end && entries < entriesMax && bytes < bytesMax; slot += 1) {
    if (!table.isLive(slot)) continue;
    const entry = view.at(slot);
    if (!beginsWith(entry, prefix)) continue;
    const length = entry.keyLength + entry.stateLength;
    if (!take(table.keyOf(slot), entry)) continue;
    entries += 1;
    bytes += length;
  }
  return { nextSlot: slot < table.slotsEnd ? slot : undefined, bytes };
}

function beginsWith({ keyView, keyStart, keyLength }: EntryWindow, prefix: Uint8Array): boolean {
  if (keyLength < prefix.length) return false;
  for (let i = 0; i < prefix.length; i += 1) if (keyView.getUint8(keyStart + i) !== prefix[i]) return false;
  return true;
}
