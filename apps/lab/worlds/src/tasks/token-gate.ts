// Receives the writes of workers: it refuses a write with a lower token than it has seen of the task (L3).
import type { FaultPlan } from '@flatline/cluster';

export class TokenGate {
  readonly #highest = new Map<string, number>();
  readonly #faults: FaultPlan;

  constructor(faults: FaultPlan) {
    this.#faults = faults;
  }

  /** `token` undefined: without leases nothing is compared. */
  write(id: string, token: number | undefined): void {
    if (token === undefined) return;
    if (token < (this.#highest.get(id) ?? 0)) this.#faults.count('fencedWrite');
    else this.#highest.set(id, token);
  }
}
