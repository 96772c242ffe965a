// How many look at dead letters at once.
//
// Invariants
//   UW1  What was given up counts until it has ended: until then it holds what it has read (X6).
import { type Clock, type DurationMs, Retriable } from '@flatline/base';
import { withinDeadline } from '@flatline/system';

export interface Begun<T> {
  readonly work: Promise<T>;
  /** Called once it has ended or is given up; what is still under way then fails. */
  readonly end: () => void;
}

export class UnderWay {
  readonly #most: number;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @throws Retriable where there are too many, or it takes longer; what `begin` and the work throw */
  async run<T>(clock: Clock, withinMs: DurationMs, begin: () => Begun<T>): Promise<T> {
    if (this.#count >= this.#most) throw new Retriable('others look at dead letters: ask again');
    const { work, end } = begin();
    this.#count += 1;
    // Where it was given up, its failure was told.
    void work.catch(() => undefined).finally(() => (this.#count -= 1));
    try {
      return await withinDeadline(clock, withinMs, work, () => new Retriable('the brokers do not answer in time'));
    } finally {
      end();
    }
  }
}
