// Limits the due entries that may take effect per second, to spread a peak (D2). Outputs do not depend on it, only their time does:
// an entry takes effect as of its due instant, however late it is drained (C5).
//
// Owns: what is left of the limit.
// Does not own: what is due (PartitionTask), when to look again (TaskLoop).
//
// Invariants
//   DP1  In any stretch of t seconds at most (t + BURST_SECONDS) × `perSecond` are allowed, or one more. What takes effect beyond
//        that, further instants of an entry and the rest of the wheel's tick, is a debt: until it is made up for, nothing is allowed.
import type { DurationMs } from '@flatline/base';

/** After a pause this much of a second's limit may come at once. */
const BURST_SECONDS = 0.1;
const SECOND_MS = 1_000;

export class DuePace {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #at: DurationMs;

  constructor(perSecond: number, now: DurationMs) {
    this.#perSecond = perSecond;
    this.#most = Math.max(1, perSecond * BURST_SECONDS);
    this.#left = this.#most;
    this.#at = now;
  }

  allowed(now: DurationMs): number {
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) * this.#perSecond) / SECOND_MS);
    this.#at = now;
    return Math.max(0, Math.floor(this.#left));
  }

  took(count: number): void {
    this.#left -= count;
  }

  /** How long until there is room for a batch, after `allowed`. */
  get waitMs(): DurationMs {
    return Math.max(1, Math.ceil(((this.#most - this.#left) * SECOND_MS) / this.#perSecond));
  }
}
