// One key's entry as it is now, for whoever asks (Q1), and how far that is committed (Q2).
//
// Owns: a window of its own.
// Does not own: entries (EntryTable), what they mean (kinds), waiting for a commit (the runtime).
import type { Millis } from '@flatline/base';
import type { EntryWindow } from '@flatline/kinds';
import type { Changelog } from '../changelog/changelog.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import type { LiveEntries } from './live-entries.ts';

export interface Look {
  /** undefined: the key has none. In the window of whoever looks, until the next look. */
  readonly entry: EntryWindow | undefined;
  /** As of where: all of the input below `position` is applied, and the clock has come so far. */
  readonly clock: Millis;
  readonly position: number;
  /** How many more cuts are to be settled until this is committed; 0: it is. */
  readonly unsettledCuts: number;
  /** Something is due for the entry and has yet to take effect: to be looked at again. */
  readonly isDue: boolean;
}

export interface EntryLookParts {
  readonly table: EntryTable;
  readonly changelog: Changelog;
  readonly entries: LiveEntries;
}

export class EntryLook {
  readonly #parts: EntryLookParts;
  #window: EntryWindow | undefined;

  constructor(parts: EntryLookParts) {
    this.#parts = parts;
  }

  /** The key's state, `at` the clock and position that it is of. */
  of(key: Uint8Array, at: Pick<Look, 'clock' | 'position'>): Look {
    const { table, changelog, entries } = this.#parts;
    const slot = table.find(key);
    const { clock, position } = at;
    if (slot < 0) {
      const unsettledCuts = changelog.hasUnsettledRemovals ? changelog.unsettledCuts : 0;
      return { entry: undefined, clock, position, unsettledCuts, isDue: false };
    }
    const unsettledCuts = changelog.standsAsCommitted(slot) ? 0 : changelog.unsettledCuts;
    const isDue = entries.dueAtOf(slot) <= clock;
    this.#window ??= table.view();
    return { entry: this.#window.at(slot), clock, position, unsettledCuts, isDue };
  }
}
