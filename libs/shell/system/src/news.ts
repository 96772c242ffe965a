/** Wakes one loop that works off whatever has come since it last looked. */
export class News {
  #hasCome = false;
  #wake: (() => void) | undefined;

  /** Says that something has come. Bound, to be a listener. */
  readonly tell = (): void => {
    this.#hasCome = true;
    this.#wake?.();
  };

  /** The loop looks now: what comes from here on is news. */
  look(): void {
    this.#hasCome = false;
  }

  /** Resolves with the next of it, at once where some has come since the loop last looked. One waits at a time. */
  some(): Promise<void> {
    if (this.#hasCome) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined;
        resolve();
      };
    });
  }
}
