// When a task commits: soon where a close waits, and seldom for the rest.
//
// Nothing waits for state that only changed. The longer it is kept back, the fewer transactions the brokers have to end, and the
// more often a session that beats again is written once for both. A close is waited for. What limits how often it hastens a
// commit, besides its own pace, is how long commits take: brokers that are busy slow it down, as does a backlog, where
// throughput counts.
//
// Owns: when the last commits began and how long they took.
// Does not own: the timer, the commit.
//
// Invariants
//   CP1  Commits without closes begin at least `commitIntervalMs` apart.
//   CP2  Those with closes begin at least `closeDelayMs` apart, CLOSES_BEHIND_FACTOR times as far where the task is behind, and
//        not before as long again has passed as the last commit took: a task spends at most half of its time on them. But never
//        farther than those without, and with a `closeDelayMs` of 0 at once.
//   CP3  Those that would only say how far the clock has come begin CLOCK_COMMITS_APART_MS after the last one: who takes over reads
//        so many clock records again.
import type { DurationMs } from '@flatline/base';
import { CLOCK_COMMITS_APART_MS, CLOSES_BEHIND_FACTOR } from '../limits.ts';

export interface CommitPaceRules {
  /** Longest wait of changed state for a commit. */
  readonly commitIntervalMs: DurationMs;
  /** Longest wait of a close for a commit. */
  readonly closeDelayMs: DurationMs;
}

/**
 * Work that waits for the next commit. `closeBehind`: a close, of a task that has not read all there is; `clock`: nothing, but the
 * clock has changed.
 */
export type Waiting = 'nothing' | 'clock' | 'close' | 'closeBehind';

export class CommitPace {
  readonly #rules: CommitPaceRules;
  #beganAt = -Infinity;
  #tookMs: DurationMs = 0;

  constructor(rules: CommitPaceRules) {
    this.#rules = rules;
  }

  /** When the last commit began; −Infinity before the first. */
  get beganAt(): DurationMs {
    return this.#beganAt;
  }

  began(monotonicNow: DurationMs): void {
    this.#beganAt = monotonicNow;
  }

  ended(monotonicNow: DurationMs): void {
    this.#tookMs = monotonicNow - this.#beganAt;
  }

  /** Until the next commit may begin, none being under way; 0: now. */
  delayMs(monotonicNow: DurationMs, waiting: Waiting): DurationMs {
    const { commitIntervalMs } = this.#rules;
    const apart =
      waiting === 'clock'
        ? Math.max(CLOCK_COMMITS_APART_MS, commitIntervalMs)
        : Math.min(this.#apartMs(waiting), commitIntervalMs);
    return Math.max(0, this.#beganAt + apart - monotonicNow);
  }

  #apartMs(waiting: Exclude<Waiting, 'clock'>): DurationMs {
    const { commitIntervalMs, closeDelayMs } = this.#rules;
    if (waiting === 'nothing') return commitIntervalMs;
    const apartMs = waiting === 'close' ? closeDelayMs : closeDelayMs * CLOSES_BEHIND_FACTOR;
    return closeDelayMs === 0 ? 0 : Math.max(apartMs, 2 * this.#tookMs);
  }
}
