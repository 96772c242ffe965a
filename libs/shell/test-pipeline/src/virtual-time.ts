// The present of a test pipeline, which moves when it is told to, and stops wherever something is due.
//
// Owns: the instant.
// Does not own: what is due when (TestPartition).
//
// Invariants
//   TI1  It never goes back.
//   TI2  What is due comes at its instant, and of several the earliest first, those of one instant by partition.
import { assert, type Millis } from '@flatline/base';
import { PROOFS_MAX } from './limits.ts';

/** Something that the passing of time alone sets off. */
export interface Waker {
  /** undefined: never, however long it passes. */
  readonly wakesAt: Millis | undefined;
  wake(now: Millis): void;
}

export class VirtualTime {
  #now: Millis;
  readonly #proofsMax: number;

  constructor(now: Millis, proofsMax: number = PROOFS_MAX) {
    this.#now = now;
    this.#proofsMax = proofsMax;
  }

  get now(): Millis {
    return this.#now;
  }

  /** Nothing happens meanwhile. */
  jump(to: Millis): void {
    assert(to >= this.#now, 'time does not go back', { now: this.#now, to });
    this.#now = to;
  }

  /** @throws RangeError where more than `proofsMax` times something is due meanwhile; it is then the instant of the last one. */
  pass(wakers: readonly Waker[], until: Millis): void {
    for (let proofs = 0; ; proofs += 1) {
      const next = earliest(wakers);
      if (next === undefined || next.at > until) break;
      if (proofs >= this.#proofsMax)
        throw new RangeError(
          `something is due more than ${this.#proofsMax} times in that time, the last time at ` +
            `${new Date(this.#now).toISOString()}: let less pass at once`,
        );
      this.jump(Math.max(this.#now, next.at));
      next.waker.wake(this.#now);
    }
    this.jump(until);
  }
}

function earliest(wakers: readonly Waker[]): { readonly waker: Waker; readonly at: Millis } | undefined {
  let first: { readonly waker: Waker; readonly at: Millis } | undefined;
  for (const waker of wakers) {
    const at = waker.wakesAt;
    if (at !== undefined && at < (first?.at ?? Infinity)) first = { waker, at };
  }
  return first;
}
