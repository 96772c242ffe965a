// Which commits carry the group's offset, and when the next one has to, because others went without (R3).
//
// The position is in the changelog: nothing restores by the group's offset. It is for whoever watches how far the group has come,
// and a witness: a changelog that lacks the commit it names has lost it. As a witness it is worth most where the changelog may
// lose what it acknowledged, so there each commit has one. Elsewhere a third of what a small transaction costs the brokers is
// spent on it (ADR 64), so commits that closes have hastened do without.
//
// Owns: when the group's offset was committed last, and whether a commit has gone without since.
// Does not own: when a commit begins (CommitPace), its transaction (Committer).
//
// Invariants
//   GO1  A commit goes without only where one that carried an offset began less than `commitIntervalMs` before it, and the last
//        one of all less than a quarter of that: where commits come seldom, leaving it out would cost one more of them.
//   GO2  One that went without is followed by one that carries, at most `commitIntervalMs` after it began, whatever comes: at rest
//        the group stands where the changelog does.
//   GO3  The first one behind a claim carries, those of a task that is handed over, and the last one before a stop. What went
//        without by then is made up for at once, as is what a former owner has left out.
import type { DurationMs } from '@flatline/base';
import { OFFSET_DENSITY } from '../limits.ts';

export interface OffsetRules {
  readonly commitIntervalMs: DurationMs;
  /** Default: the changelog may lose what it acknowledged. */
  readonly electsCleanly?: boolean | undefined;
}

export class OffsetPace {
  readonly #rules: OffsetRules;
  /** When the last commit known to be in the log began, and the last one that carried; −Infinity: none since a claim. */
  #beganAt = -Infinity;
  #carriedAt = -Infinity;
  #isOwed: boolean;
  #isHandedOver = false;

  /** `isOwed`: the group does not know of the last commit, which a former owner made. */
  constructor(rules: OffsetRules, isOwed: boolean) {
    this.#rules = rules;
    this.#isOwed = isOwed;
  }

  /** True if the group's offset is behind the last commit. */
  get isOwed(): boolean {
    return this.#isOwed;
  }

  /** Another claim has been made: the next commit carries. */
  claimed(): void {
    this.#beganAt = -Infinity;
    this.#carriedAt = -Infinity;
  }

  /** The task is being handed over, or will end; false: it goes on after all. */
  handOver(isHandedOver: boolean): void {
    this.#isHandedOver = isHandedOver;
  }

  /** True if a commit that begins now carries the offset. */
  carries(monotonicNow: DurationMs): boolean {
    const { commitIntervalMs, electsCleanly = false } = this.#rules;
    const isRecent = monotonicNow - this.#carriedAt < commitIntervalMs;
    const isDense = monotonicNow - this.#beganAt < commitIntervalMs / OFFSET_DENSITY;
    return !electsCleanly || this.#isHandedOver || !isRecent || !isDense;
  }

  /** A commit that began then is in the log, with the offset or without. */
  settled(beganAt: DurationMs, carried: boolean): void {
    this.#beganAt = beganAt;
    if (carried) this.#carriedAt = beganAt;
    this.#isOwed = !carried;
  }

  /** Until a commit has to begin for the offset's sake; Infinity: none has to. */
  delayMs(monotonicNow: DurationMs): DurationMs {
    if (!this.#isOwed) return Infinity;
    if (this.#isHandedOver) return 0;
    return Math.max(0, this.#beganAt + this.#rules.commitIntervalMs - monotonicNow);
  }
}
