// When a task commits: seldom enough for the brokers, and soon where somebody waits for a close.
//
// Under steady traffic there is something to commit all the time, and a close would wait half an interval on average though
// nothing else is in its way. So closes hasten the next commit while the task keeps up. What limits them then is how long
// commits take: brokers that are busy slow it down, as does a backlog, where throughput counts.
//
// Owns: when the last commits began and how long they took.      Does not own: the timer, the commit.
//
// Invariants
//   CP1  Commits begin at least an interval apart, but for those with closes of a task that keeps up.
//   CP2  Those begin at least a CLOSES_SHARE-th of an interval apart, and not before as long again has passed as the last
//        commit took: a task spends at most half of its time on them.
import type { DurationMs } from '@flatline/base';

/** Transactions within an interval at most. */
const CLOSES_SHARE = 5;

export class CommitPace {
  readonly #intervalMs: DurationMs;
  #beganAt = -Infinity;
  #tookMs: DurationMs = 0;

  constructor(intervalMs: DurationMs) {
    this.#intervalMs = intervalMs;
  }

  /** Of the last commit; −Infinity before the first. */
  get beganAt(): DurationMs {
    return this.#beganAt;
  }

  began(monotonicNow: DurationMs): void {
    this.#beganAt = monotonicNow;
  }

  ended(monotonicNow: DurationMs): void {
    this.#tookMs = monotonicNow - this.#beganAt;
  }

  /** Until the next commit may begin, none being under way; 0: now. `hasty`: a close waits, and the task keeps up. */
  delayMs(monotonicNow: DurationMs, hasty: boolean): DurationMs {
    const apart = hasty ? Math.max(this.#intervalMs / CLOSES_SHARE, 2 * this.#tookMs) : this.#intervalMs;
    return Math.max(0, this.#beganAt + Math.min(apart, this.#intervalMs) - monotonicNow);
  }
}
