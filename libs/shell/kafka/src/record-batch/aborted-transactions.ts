// Which batches of one fetch answer belong to aborted transactions (KIP-98, read_committed).
//
// Owns: the transactions the broker listed as aborted for this answer, and which of them are open at the cursor.
// Does not own: the batches.
//
// Invariants
//   AT1  A transaction is open from its first offset until its producer's abort marker; a producer has at most one.
//   AT2  Only a batch with the transactional bit is ever dropped, whatever its records look like.

/** As in the fetch answer. */
export interface AbortedTransaction {
  readonly producerId: number;
  readonly firstOffset: number;
}

export class AbortedTransactions {
  readonly #byFirstOffset: readonly AbortedTransaction[];
  readonly #open = new Set<number>();
  #next = 0;

  constructor(transactions: readonly AbortedTransaction[]) {
    this.#byFirstOffset = [...transactions].sort((a, b) => a.firstOffset - b.firstOffset);
  }

  /** True if a transactional batch is to be passed over. Batches must be shown in offset order. */
  covers(producerId: number, lastOffset: number): boolean {
    this.#openUpTo(lastOffset);
    return this.#open.has(producerId);
  }

  /** The producer's abort marker was passed. */
  ended(producerId: number, lastOffset: number): void {
    this.#openUpTo(lastOffset);
    this.#open.delete(producerId);
  }

  #openUpTo(lastOffset: number): void {
    for (; this.#next < this.#byFirstOffset.length; this.#next += 1) {
      const transaction = this.#byFirstOffset[this.#next]!;
      if (transaction.firstOffset > lastOffset) return;
      this.#open.add(transaction.producerId);
    }
  }
}
