// Recent durations, for percentiles.
import type { DurationMs } from '@flatline/base';
import { DURATIONS_KEPT } from './limits.ts';

export interface Percentiles {
  readonly count: number;
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
}

export class Durations {
  readonly #ring = new Float64Array(DURATIONS_KEPT);
  #count = 0;

  add(durationMs: DurationMs): void {
    this.#ring[this.#count % DURATIONS_KEPT] = durationMs;
    this.#count += 1;
  }

  percentiles(): Percentiles {
    const kept = this.#ring.slice(0, Math.min(this.#count, DURATIONS_KEPT)).sort();
    const at = (share: number): DurationMs => kept[Math.min(kept.length - 1, Math.floor(kept.length * share))] ?? 0;
    return { count: this.#count, p50Ms: at(0.5), p99Ms: at(0.99), maxMs: kept.at(-1) ?? 0 };
  }
}
