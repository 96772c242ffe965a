// Gaps in the input during which no device could be heard, excluded from deadlines (C8). Shares nothing with the code it judges.
import type { DurationMs, Millis } from '@flatline/base';

/** Beyond this many, the two oldest and all that lies between them count as one. */
const GAPS_MAX = 64;

export interface HeldGapRules {
  /** 0: no time is ever held. */
  readonly unheardMs: DurationMs;
  readonly maxHoldMs: DurationMs;
}

interface Gap {
  readonly from: Millis;
  readonly to: Millis;
}

export class HeldGaps {
  readonly #rules: HeldGapRules;
  #gaps: readonly Gap[] = [];

  constructor(rules: HeldGapRules) {
    this.#rules = rules;
  }

  /** To be called when the clock moves from `before` to `after` while something lives that was not due before. */
  passed(before: Millis, after: Millis): void {
    if (!this.hasUnheard(before, after)) return;
    const { unheardMs, maxHoldMs } = this.#rules;
    const from = before + unheardMs;
    const gaps = [...this.#gaps, { from, to: Math.min(after, from + maxHoldMs) }];
    const [oldest, next, ...others] = gaps;
    this.#gaps = gaps.length <= GAPS_MAX ? gaps : [{ from: oldest!.from, to: next!.to }, ...others];
  }

  /** True if some of that time was unheard. */
  hasUnheard(before: Millis, after: Millis): boolean {
    const { unheardMs } = this.#rules;
    return unheardMs > 0 && before > 0 && after > before + unheardMs;
  }

  /** Returns the held time between the two. */
  within(from: Millis, to: Millis): DurationMs {
    return this.#gaps
      .map((gap) => Math.min(gap.to, to) - Math.max(gap.from, from))
      .reduce((sum, ms) => (ms > 0 ? sum + ms : sum), 0);
  }

  /** The instant at which `ms` have passed since `from`, held time excluded. */
  end(from: Millis, ms: DurationMs): Millis {
    let end = from + ms;
    for (const gap of this.#gaps) {
      const start = Math.max(gap.from, from);
      if (start < end) end += Math.max(0, gap.to - start);
    }
    return end;
  }
}
