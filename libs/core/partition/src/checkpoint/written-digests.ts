// Digests of entries that are read rather than cut: what each was written with (R1, K8).
//
// Owns: which entries have changed since they were counted.
// Does not own: the sum (Changelog).
//
// Invariants
//   WD1  An entry in `#changed` counts with its key only: one that is touched again and again is looked at once.
//
// Checked
//   inspect  WD1
import { ByteWriter } from '@flatline/base';
import type { EntryWindow } from '@flatline/kinds';
import { KEY_GROUP_MAX } from '@flatline/ports';
import { baseBytes } from '../changelog/block-builder.ts';
import type { Changelog } from '../changelog/changelog.ts';
import { headDigest, pageDigest } from '../changelog/digest.ts';
import type { EntryTable } from '../entries/entry-table.ts';
import { SlotSet } from '../entries/slot-set.ts';

/** Bytes of states in one slice: hashing them takes about as long as counting some thousand entries without. */
const SLICE_BYTES_MAX = 4 * 1024 * 1024;

export class WrittenDigests {
  readonly #table: EntryTable;
  readonly #changelog: Changelog;
  readonly #view: EntryWindow;
  readonly #changed = new SlotSet();
  readonly #group = new Int32Array(KEY_GROUP_MAX);
  readonly #head = new ByteWriter(256);

  constructor(table: EntryTable, changelog: Changelog) {
    this.#table = table;
    this.#changelog = changelog;
    this.#view = table.view();
  }

  /** Leaves only the entry's key counted: the rest is about to be another. */
  willChange(slot: number): void {
    if (!this.#changed.add(slot)) return;
    const entry = this.#view.at(slot);
    this.#changelog.discount(entry);
    entry.writtenDigest = 0;
    entry.baseBytes = 0;
  }

  /** The entry goes. */
  forget(slot: number): void {
    this.#changelog.forget(this.#view.at(slot));
    this.#changed.delete(slot);
  }

  /** Counts an entry with a head of so many bytes and that digest, and the pages it has. */
  count(entry: EntryWindow, digest: number, headLength: number): void {
    const { slot, keyLength, stateLength } = entry;
    entry.writtenDigest = (digest + this.#digestPages(slot)) | 0;
    entry.baseBytes = baseBytes(keyLength, headLength, stateLength);
    this.#changelog.recount(entry);
  }

  /** Counts `limit` more of those that have changed, or a few beyond, fewer where states are long; true once there are none left. */
  countChanged(limit: number): boolean {
    const group = this.#group;
    let bytes = limit === Infinity ? Infinity : SLICE_BYTES_MAX;
    for (let left = limit; left > 0 && bytes > 0 && this.#changed.size > 0; left -= group.length) {
      const count = this.#changed.take(group, group.length);
      let counted = 0;
      for (; counted < count && bytes > 0; counted += 1) {
        const entry = this.#view.at(group[counted]!);
        bytes -= entry.stateLength;
        this.#countEntry(entry);
      }
      this.#changed.putBack(group, counted, count);
    }
    return this.#changed.size === 0;
  }

  /** Lists violations of the invariant, in words. O(entries that have changed), changes nothing. For checks. */
  inspect(): string[] {
    return this.#changed
      .from(0)
      .filter(
        (slot) =>
          !this.#table.isLive(slot) || this.#view.at(slot).writtenDigest !== 0 || this.#view.at(slot).baseBytes !== 0,
      )
      .map((slot) => `WD1: slot ${slot} has changed, and counts with more than its key`);
  }

  #countEntry(entry: EntryWindow): void {
    const head = this.#head;
    head.clear();
    this.#table.format.encode(entry, head);
    this.count(entry, headDigest(entry.slot, head.view, 0, head.length), head.length);
  }

  /** The sum over the entry's pages; each is clean afterwards. */
  #digestPages(slot: number): number {
    const { states } = this.#table;
    const { arena } = states;
    let digest = 0;
    const count = states.countOf(slot);
    for (let page = 0; page < count; page += 1) {
      const reference = states.pageAt(slot, page);
      if (arena.isDirty(reference)) {
        const { view } = arena;
        arena.clean(reference, pageDigest(slot, page, view, arena.startOf(reference), arena.lengthOf(reference)));
      }
      digest = (digest + arena.digestOf(reference)) | 0;
    }
    return digest;
  }
}
