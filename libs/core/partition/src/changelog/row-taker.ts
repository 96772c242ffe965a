import type { EntryWindow } from '@flatline/kinds';

/** What of a cut the local store waits for. */
export interface RowTaker {
  wants(slot: number): boolean;
  /** The entry has been written into the cut; its base is in that block of it, or, where that is −1, where it was. */
  take(entry: EntryWindow, part: number): void;
  /** The cut says that the base of the slot's entry is another than the one that was known when it was taken. */
  rebased(slot: number): void;
  /** The cut says that the slot's entry has gone. */
  takeGone(slot: number): void;
}
