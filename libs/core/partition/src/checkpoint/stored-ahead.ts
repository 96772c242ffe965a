// Tells which commits read after its checkpoint the rows of the local store cover already.
//
// A row may be as of a later commit than the checkpoint. Changes of its key by commits up to that one are in it already, or were
// undone since.
//
// Owns: by slot, how far its row is ahead.
// Does not own: entries.
export class StoredAhead {
  #checkpoint = 0;
  /** By slot: how many commits after the checkpoint the row covers. */
  #ahead = new Int32Array(0);
  #newest = -1;

  /** Sequence of the newest commit that a row is the state after; −1: no row was noted. */
  get newest(): number {
    return this.#newest;
  }

  begin(checkpointSequence: number): void {
    this.#checkpoint = checkpointSequence;
  }

  note(slot: number, sequence: number): void {
    this.#newest = Math.max(this.#newest, sequence);
    const ahead = sequence - this.#checkpoint;
    if (ahead <= 0 && slot >= this.#ahead.length) return;
    if (slot >= this.#ahead.length) this.#grow(slot);
    this.#ahead[slot] = Math.min(Math.max(ahead, 0), 2 ** 31 - 1);
  }

  sequenceOf(slot: number): number {
    return this.#checkpoint + (this.#ahead[slot] ?? 0);
  }

  /** True if the slot's row covers the commit. */
  covers(slot: number, sequence: number): boolean {
    return slot < this.#ahead.length && sequence <= this.#checkpoint + this.#ahead[slot]!;
  }

  /** The slot's entry has gone: another's may come. */
  forget(slot: number): void {
    if (slot < this.#ahead.length) this.#ahead[slot] = 0;
  }

  /** Every commit that a row covers has been read. */
  end(): void {
    this.#ahead = new Int32Array(0);
  }

  #grow(slot: number): void {
    const grown = new Int32Array(Math.max(slot + 1, 2 * this.#ahead.length, 1_024));
    grown.set(this.#ahead);
    this.#ahead = grown;
  }
}
