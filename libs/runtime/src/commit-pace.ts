// When a task commits: seldom enough for the brokers, and soon where somebody waits for a close.
//
// A pipeline under steady traffic commits every interval. Were a close to wait for the next of these, it would be half an
// interval late on average though nothing else is in its way.
//
// Owns: when the last commits began.      Does not own: the timer, the commit.
//
// Invariants
//   CP1  Commits with closes begin at least an interval apart, and a commit without them begins at least an interval after
//        any other: never more than two in one interval.
import type { DurationMs } from '@flatline/base';

export class CommitPace {
  readonly #intervalMs: DurationMs;
  #beganAt = -Infinity;
  #withClosesBeganAt = -Infinity;

  constructor(intervalMs: DurationMs) {
    this.#intervalMs = intervalMs;
  }

  began(monotonicNow: DurationMs, withCloses: boolean): void {
    this.#beganAt = monotonicNow;
    if (withCloses) this.#withClosesBeganAt = monotonicNow;
  }

  /** Until a commit may begin that has closes, or none; 0: now. */
  delayMs(monotonicNow: DurationMs, withCloses: boolean): DurationMs {
    const after = withCloses ? this.#withClosesBeganAt : this.#beganAt;
    return Math.max(0, after + this.#intervalMs - monotonicNow);
  }
}
