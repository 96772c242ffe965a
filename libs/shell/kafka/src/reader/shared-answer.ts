// A fetch answer in which the batches of several partitions lie.
//
// Owns: how many cursors still show its bytes.
// Does not own: the memory (ReusedMemory), the cursors (PartitionSubscription).
//
// Invariants
//   SA1  Its memory is given back once, when the last cursor over it is used up, and no more can be made.
import type { ReusedMemory } from '@flatline/base';

export class SharedAnswer {
  readonly payload: Buffer;
  readonly #memory: ReusedMemory | undefined;
  /** Cursors not yet used up, and the reader itself until all are handed out. */
  #holders = 1;

  constructor(payload: Buffer, memory: ReusedMemory | undefined) {
    this.payload = payload;
    this.#memory = memory;
  }

  /** For one cursor: call the returned function once, when it is used up. */
  hold(): () => void {
    this.#holders += 1;
    return this.#release;
  }

  /** No more cursors will be made of it. */
  handedOut(): void {
    this.#release();
  }

  readonly #release = (): void => {
    this.#holders -= 1;
    if (this.#holders === 0) this.#memory?.giveBack(this.payload);
  };
}
