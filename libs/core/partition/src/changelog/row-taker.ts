import type { EntryWindow } from '@flatline/kinds';

/** Receiver of the rows of a cut for which the local store waits. */
export interface RowTaker {
  wants(slot: number): boolean;
  /** The entry has been written into the cut: its base into that part, or, where that is −1, it stays where it was. */
  take(entry: EntryWindow, part: number): void;
  /** The cut gives the slot's entry another base than the one known when it was taken. */
  rebased(slot: number): void;
  /** The cut says that the slot's entry has gone. */
  takeGone(slot: number): void;
}
