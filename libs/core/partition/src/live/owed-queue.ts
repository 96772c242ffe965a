// Entries that owe more records than one commit should hold, oldest first.
//
// Owns: which entries owe, what is left of the first.
// Does not own: what is owed (the kind), room for it (NextCommit).
//
// Invariants
//   OQ1  An entry that owes lives, and is in the queue once: from the call in which its kind says so, or from restoring, until
//        all is said.
//
// Checked
//   inspect  OQ1
import { assert } from '@flatline/base';
import type { Effects, Kind, KindOutput, OwedRecords, Owing } from '@flatline/kinds';

export class OwedQueue {
  readonly #owing: Owing | undefined;
  readonly #slots: number[] = [];
  /** Index of the first entry: removing each at the front would be quadratic in a long queue. */
  #at = 0;
  /** The first entry's, once begun. */
  #records: OwedRecords | undefined;

  constructor({ owing }: Kind) {
    this.#owing = owing;
  }

  get isEmpty(): boolean {
    return this.#at === this.#slots.length;
  }

  /** The entry whose turn it is. */
  get first(): number {
    return this.#slots[this.#at]!;
  }

  add(slot: number): void {
    this.#slots.push(slot);
  }

  /** Adds a restored entry, in the window, if it owes. */
  restore(slot: number): void {
    if (this.#owing?.isOwing() === true) this.add(slot);
  }

  /**
   * Lists violations of the invariant, in words. `live`: the slots with an entry, to which `show` moves the window. Changes
   * nothing else. For checks.
   */
  inspect(live: readonly number[], show: (slot: number) => void): string[] {
    const queued = this.#slots.slice(this.#at);
    const owing = this.#owing;
    const owes = live.filter((slot) => {
      show(slot);
      return owing?.isOwing() === true;
    });
    const isSound = queued.length === owes.length && new Set([...queued, ...owes]).size === owes.length;
    return isSound ? [] : [`OQ1: slots ${owes.join()} owe, in the queue are ${queued.join()}`];
  }

  /** Works on what the first entry, in the window, owes; a record that comes of it goes out with the next commit. */
  next(effects: Effects, add: (record: KindOutput) => void): void {
    const owing = this.#owing;
    assert(owing !== undefined && !this.isEmpty, 'a kind whose entries owe says what');
    const records = (this.#records ??= owing.records(effects));
    const record = records.next();
    if (record === undefined) return;
    // Before what the kind says behind it.
    add(record);
    if (records.isOver) {
      this.#removeFirst();
      this.#records = undefined;
    }
    owing.said(records.progress, records.isOver, effects);
  }

  #removeFirst(): void {
    this.#at += 1;
    if (2 * this.#at < this.#slots.length) return;
    this.#slots.splice(0, this.#at);
    this.#at = 0;
  }
}
