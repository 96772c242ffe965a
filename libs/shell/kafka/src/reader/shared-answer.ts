// A fetch answer in which the runs of several partitions lie.
//
// Owns: how many runs still show its bytes.
// Does not own: the memory (ReusedMemory), the runs (PartitionSubscription).
//
// Invariants
//   SA1  Its memory is given back once, when the last run made of it is used up, and no more can be made.
import type { ReusedMemory } from '@flatline/base';

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
