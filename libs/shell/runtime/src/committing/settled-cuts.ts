// Waits until cuts of a task are settled: what is answered of its state was committed (Q2).
//
// Owns: who waits.
// Does not own: the count (PartitionTask), how many may wait (whoever asks).

/** True: settled; false: the task ended before. */
type Tell = (isSettled: boolean) => void;

export class SettledCuts {
  readonly #count: () => number;
  #waiting: { readonly from: number; readonly tell: Tell }[] = [];
  #hasEnded = false;

  /** `count`: how many cuts of the task are settled. */
  constructor(count: () => number) {
    this.#count = count;
  }

  /** Resolves with true once so many more are settled, with false where the task ends before. */
  after(more: number): Promise<boolean> {
    if (this.#hasEnded) return Promise.resolve(false);
    const from = this.#count() + more;
    return new Promise((resolve) => {
      this.#waiting.push({ from, tell: resolve });
    });
  }

  settled(): void {
    const count = this.#count();
    const waiting = this.#waiting;
    this.#waiting = waiting.filter(({ from }) => from > count);
    for (const { from, tell } of waiting) if (from <= count) tell(true);
  }

  /** No further one will be settled. */
  end(): void {
    this.#hasEnded = true;
    for (const { tell } of this.#waiting.splice(0)) tell(false);
  }
}
