// The state of one partition as its changelog tells it, for those who only look: restored as a task is, and never run.
//
// Owns: the entries.
// Does not own: the log, which is handed in block by block.
//
// Invariants
//   SN1  What is shown is the state after a whole commit, `last`, of which R1 holds once `check` has said nothing.
//
// Checked
//   not  SN1: `check` says so.
import { ReusedMemory } from '@flatline/base';
import type { EntryFormat, EntryWindow } from '@flatline/kinds';
import type { CommitHeader } from '../changelog/block-format.ts';
import { Changelog } from '../changelog/changelog.ts';
import { EntryTable } from '../entries/entry-table.ts';
import { Checkpoints } from './checkpoints.ts';
import { type Disagreement, Restoration } from './restoration.ts';

/** Nothing is written: these bound nothing. */
const LIMITS = { blockBytesMax: 65_536, changelogFactor: 4, unsweptLogBytes: 0 };

export class StateReading<Entry extends EntryWindow = EntryWindow> {
  readonly #table: EntryTable<Entry>;
  readonly #restoration: Restoration;

  /** `hashSeed`: drawn at start (I3). */
  constructor(format: EntryFormat<Entry>, hashSeed: number) {
    const table = new EntryTable(hashSeed, format);
    const changelog = new Changelog(table, LIMITS, new ReusedMemory(0));
    const checkpoints = new Checkpoints(table, changelog, () => 0);
    checkpoints.discard();
    this.#table = table;
    this.#restoration = new Restoration(table, changelog, checkpoints);
  }

  /** Header of the newest whole commit, undefined before the first. */
  get last(): CommitHeader | undefined {
    return this.#restoration.last;
  }

  get size(): number {
    return this.#table.size;
  }

  /** Takes the next block; returns why it cannot follow (R3). `bytes` is kept: pass a copy. @throws MalformedBytes */
  take(bytes: Uint8Array, offset: number): string | undefined {
    const step = this.#restoration.take(bytes, offset);
    if (step.kind === 'broken') return step.why;
    while (this.#restoration.applyNext() > 0);
    return undefined;
  }

  /** Ends reading, and compares what was read with the last header (R1). */
  check(): Disagreement {
    return this.last === undefined ? undefined : this.#restoration.finish();
  }

  /** Each entry, in a window that moves; with a copy of its key. */
  *entries(): Generator<{ readonly key: Uint8Array; readonly entry: Entry }> {
    const table = this.#table;
    const entry = table.view();
    for (let slot = 0; slot < table.slotsEnd; slot += 1)
      if (table.isLive(slot)) yield { key: table.keyOf(slot), entry: entry.at(slot) };
  }
}
