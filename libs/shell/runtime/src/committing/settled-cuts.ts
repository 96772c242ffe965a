// Waits until cuts of a task are settled: what is answered of its state was committed (Q2).
//
// Owns: who waits.
// Does not own: the count (PartitionTask), how many may wait, and how long (whoever asks).

interface Waiting {
  readonly from: number;
  /** True: settled; false: the task ended before, or the asker has given up. */
  readonly tell: (isSettled: boolean) => void;
}

export class SettledCuts {
  readonly #count: () => number;
  readonly #onAwaited: () => void;
  readonly #waiting = new Set<Waiting>();
  #hasEnded = false;

  /** `count`: how many cuts of the task are settled. `onAwaited`: called where one is waited for. */
  constructor(count: () => number, onAwaited: () => void) {
    this.#count = count;
    this.#onAwaited = onAwaited;
  }

  /** True if a cut is waited for: it comes sooner then. */
  get isAwaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Resolves with true once so many more are settled, with false where the task ends before, or `abandon` is aborted. */
  after(more: number, abandon: AbortSignal): Promise<boolean> {
    if (this.#hasEnded || abandon.aborted) return Promise.resolve(false);
    const from = this.#count() + more;
    return new Promise((resolve) => {
      const giveUp = (): void => {
        this.#waiting.delete(waiting);
        resolve(false);
      };
      const tell = (isSettled: boolean): void => {
        abandon.removeEventListener('abort', giveUp);
        resolve(isSettled);
      };
      const waiting = { from, tell };
      this.#waiting.add(waiting);
      abandon.addEventListener('abort', giveUp);
      this.#onAwaited();
    });
  }

  settled(): void {
    const count = this.#count();
    for (const waiting of this.#waiting) {
      if (waiting.from > count) continue;
      this.#waiting.delete(waiting);
      waiting.tell(true);
    }
  }

  /** No further one will be settled. */
  end(): void {
    this.#hasEnded = true;
    for (const { tell } of this.#waiting) tell(false);
    this.#waiting.clear();
  }
}
