// Shows the live entries of a kind to users and programs that ask. Changes nothing.
import type { EntryFormat } from './contract.ts';
import type { EntryWindow } from './entry-window.ts';
import type { Reckoning } from './held-time.ts';
import type { ShownEntry } from './shown-entry.ts';

export interface EntryPlace {
  readonly partition: number;
  /** Time that no deadline counts (C8). */
  readonly held: Reckoning;
}

export interface EntryView<Entry extends EntryWindow = EntryWindow> {
  readonly format: EntryFormat<Entry>;
  /** Returns what the entry in the window holds: one thing, or every schedule of its key. */
  shown(entry: Entry, place: EntryPlace): readonly ShownEntry[];
}
