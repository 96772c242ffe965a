// Gives a process a share of a CPU: it is stopped for the rest of every period, like by a quota of the kernel's scheduler, but
// without the privileges which that needs.
//
// Owns: the state of the child, stopped or not.
// Does not own: the child.
import type { Child } from './child.ts';
import { sleep } from './sleep.ts';

/** Far below a heartbeat interval: no other process mistakes it for silence. */
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

  /** Total time for which it was stopped. */
  get withheldMs(): number {
    return this.#withheldMs;
  }

  /** Lifts the limit from now on. */
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
