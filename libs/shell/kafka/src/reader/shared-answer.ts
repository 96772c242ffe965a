import type { ReusedMemory } from '@flatline/base';

/** A fetch answer that the runs of several partitions lie in. Its memory is given back when the last of them is used up. */
export class SharedAnswer {
  readonly payload: Buffer;
  readonly #memory: ReusedMemory | undefined;
  /** Runs not yet used up, and the reader itself until all are handed out. */
  #holders = 1;

  constructor(payload: Buffer, memory: ReusedMemory | undefined) {
    this.payload = payload;
    this.#memory = memory;
  }

  /** For one run: call the returned function once, when the run is used up. */
  hold(): () => void {
    this.#holders += 1;
    return this.#release;
  }

  /** No more runs will be made of it. */
  handedOut(): void {
    this.#release();
  }

  readonly #release = (): void => {
    this.#holders -= 1;
    if (this.#holders === 0) this.#memory?.giveBack(this.payload);
  };
}
