interface Waiter {
  readonly until: () => boolean;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Callers that wait for something that comes true by itself. */
export class Waiters {
  #waiting: Waiter[] = [];

  wait(until: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      if (until()) resolve();
      else this.#waiting.push({ until, resolve, reject });
    });
  }

  /** Lets those go for whom it has come true. */
  release(): void {
    const waiting = this.#waiting.splice(0);
    for (const waiter of waiting) {
      if (waiter.until()) waiter.resolve();
      else this.#waiting.push(waiter);
    }
  }

  /** It never will for any of them. */
  reject(error: Error): void {
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
