import type { DurationMs } from '@flatline/base';

export interface BackOffLimits {
  readonly firstMs: DurationMs;
  readonly mostMs: DurationMs;
}

/** After a failed connection; a broker that restarts is back within one or two of these. */
export const RECONNECT_BACK_OFF: BackOffLimits = { firstMs: 20, mostMs: 1_000 };

/** Doubling delays with jitter of ±20 %, so that the clients of a broker that comes back do not arrive together. */
export class BackOff {
  readonly #limits: BackOffLimits;
  readonly #draw: () => number;
  #failures = 0;

  /** `draw`: from [0, 1). Default: of no seed. */
  constructor(limits: BackOffLimits, draw: () => number = Math.random) {
    this.#limits = limits;
    this.#draw = draw;
  }

  /** Attempts failed since the last `reset`. */
  get failures(): number {
    return this.#failures;
  }

  /** Counts one more failure and says how long to wait before the next attempt. */
  nextDelayMs(): DurationMs {
    const delay = Math.min(this.#limits.firstMs * 2 ** Math.min(this.#failures, 30), this.#limits.mostMs);
    this.#failures += 1;
    return Math.ceil(delay * (0.8 + 0.4 * this.#draw()));
  }

  reset(): void {
    this.#failures = 0;
  }
}
