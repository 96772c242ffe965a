// Delays as a histogram of constant size (V9).
import type { DurationMs } from '@flatline/base';

/** Quantiles: exact below 1 s, within 1 % above; undefined if nothing was closed. */
export interface DelaySummary {
  readonly count: number;
  readonly min: DurationMs | undefined;
  readonly p50: DurationMs | undefined;
  readonly p99: DurationMs | undefined;
  readonly max: DurationMs | undefined;
}

const EXACT_BELOW_MS = 1_000;
/** Growth factor of the bucket widths above that. */
const STEP = 1.01;

export class Delays {
  readonly #buckets = new Map<number, number>();
  #count = 0;
  #min = Infinity;
  #max = -Infinity;

  add(ms: DurationMs): void {
    this.#count += 1;
    this.#min = Math.min(this.#min, ms);
    this.#max = Math.max(this.#max, ms);
    const bucket = bucketOf(ms);
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1);
  }

  summary(): DelaySummary {
    const some = this.#count > 0;
    return {
      count: this.#count,
      min: some ? this.#min : undefined,
      p50: this.#quantile(0.5),
      p99: this.#quantile(0.99),
      max: some ? this.#max : undefined,
    };
  }

  #quantile(share: number): DurationMs | undefined {
    let left = Math.ceil(this.#count * share);
    for (const [bucket, count] of [...this.#buckets].sort(([a], [b]) => a - b)) {
      left -= count;
      if (left <= 0) return Math.min(this.#max, greatestOf(bucket));
    }
    return undefined;
  }
}

function bucketOf(ms: DurationMs): number {
  if (ms < EXACT_BELOW_MS) return Math.max(0, Math.round(ms));
  return EXACT_BELOW_MS + Math.ceil(Math.log(ms / EXACT_BELOW_MS) / Math.log(STEP));
}

function greatestOf(bucket: number): DurationMs {
  if (bucket < EXACT_BELOW_MS) return bucket;
  return Math.round(EXACT_BELOW_MS * STEP ** (bucket - EXACT_BELOW_MS));
}
