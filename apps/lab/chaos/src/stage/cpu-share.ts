// A share of a CPU for a process: stopped for the rest of every period, as a quota of the kernel's scheduler would do it, and
// without the rights that one needs.
//
// Owns: whether the child is stopped.
// Does not own: the child.
import type { Child } from './child.ts';
import { sleep } from './sleep.ts';

/** Far below a heartbeat interval: no other process takes it for silence. */
const PERIOD_MS = 100;

export class CpuShare {
  readonly #child: Child;
  readonly #ended: Promise<void>;
  readonly #share: number;
  #lifted = false;
  #withheldMs = 0;

  /** `share`: above 0, below 1. */
  constructor(child: Child, share: number) {
    this.#child = child;
    this.#share = share;
    this.#ended = this.#run();
  }

  /** How long it was stopped, all in all. */
  get withheldMs(): number {
    return this.#withheldMs;
  }

  /** From now on it has all it can get. */
  lift(): Promise<void> {
    this.#lifted = true;
    return this.#ended;
  }

  async #run(): Promise<void> {
    while (!this.#lifted && this.#child.ending === undefined) {
      const runningMs = this.#share * PERIOD_MS;
      await sleep(runningMs);
      this.#child.signal('SIGSTOP');
      const from = performance.now();
      await sleep(PERIOD_MS - runningMs);
      this.#child.signal('SIGCONT');
      this.#withheldMs += performance.now() - from;
    }
  }
}
