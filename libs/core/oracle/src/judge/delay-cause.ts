// Causes of a close long after its deadline (V9): only the remainder is a delay of closing.
//
// Owns: the last long gaps between stamps of the input.
// Does not own: delays (Findings).
import type { DurationMs, Millis } from '@flatline/base';

export type DelayCause =
  /** None of the others. */
  | 'caughtUp'
  /** The commit was made from records that had long been in the input: a backlog was being read. */
  | 'backlog'
  /** For a long time nothing in the input reached the deadline: the brokers were out, or no processor ran to prove the silence (C2). */
  | 'unproved';

/** A delay above this is late. */
const LATE_MS: DurationMs = 5_000;
const GAPS_MAX = 64;

interface Gap {
  readonly from: Millis;
  readonly to: Millis;
}

export class DelayCauses {
  #gaps: readonly Gap[] = [];

  /** Takes note of a move of the clock. */
  moved(from: Millis, to: Millis): void {
    if (from > 0 && to - from > LATE_MS) this.#gaps = [...this.#gaps, { from, to }].slice(-GAPS_MAX);
  }

  /** `clock`: of the closing commit; `appendedAt`: when that was appended. */
  of(dueAt: Millis, { clock, appendedAt }: { readonly clock: Millis; readonly appendedAt: Millis }): DelayCause {
    if (appendedAt - clock > LATE_MS) return 'backlog';
    const gap = this.#gaps.find(({ from, to }) => from < dueAt && dueAt <= to);
    return gap !== undefined && gap.to - dueAt > LATE_MS ? 'unproved' : 'caughtUp';
  }
}
