// Bounds the size of the next commit, so that the brokers take it within a third of a transaction's timeout, at the speed last
// seen.
//
// A commit cannot be made smaller once it is cut: its blocks, outputs and position belong together. So what is stepped before
// a cut is bounded by what commits were seen to take, and a commit that is cut all the same too large gets more time
// (Committer).
//
// Owns: what a commit may hold.
// Does not own: what waits for a cut (PartitionTask), how long a commit took (Committer).
//
// Invariants
//   CB1  It doubles after a commit that filled it as stepping counts, and shrinks at once to what would have fitted.
//   CB2  It is never below `leastBytes`, and never above the share of memory that the task has at present.
//   CB3  The bound that a commit too small to measure more than round trips sets lasts only until the next commit, of any size.
//   CB4  What the process itself was late by makes no broker slow, but the brokers' timeout counts it: with it a commit should
//        take two thirds of that at most.
import type { DurationMs } from '@flatline/base';
import { OWN_DELAY_FACTOR } from '../limits.ts';

export interface CommitBudgetOptions {
  /** Longest that brokers should take for a commit: a third of a transaction's timeout. */
  readonly targetMs: DurationMs;
  /** Before anything is known of the brokers. */
  readonly firstBytes: number;
  readonly leastBytes: number;
  /** A commit of less takes about as long: what it takes are round trips. */
  readonly requestBytes: number;
  /** The task's present share of what commits may hold together. */
  readonly share: () => number;
}

export class CommitBudget {
  readonly #options: CommitBudgetOptions;
  /** Bound learned from commits large enough to tell. */
  #bytes: number;
  /** Bound by the last commit, whatever its size. */
  #lastBytes = Infinity;

  constructor(options: CommitBudgetOptions) {
    this.#options = options;
    this.#bytes = options.firstBytes;
  }

  /** Upper bound on a commit, as `PartitionTask.pendingBytes` counts it. */
  get bytesMax(): number {
    return Math.max(this.#options.leastBytes, Math.min(this.#bytes, this.#lastBytes, this.#options.share()));
  }

  /**
   * A commit of this many bytes succeeded in one try of `tookMs`, of which `ownDelayMs` were the process's own delay.
   * `countedBytes`: what stepping took it for, which is what `bytesMax` bounds.
   */
  taken(bytes: number, tookMs: DurationMs, ownDelayMs: DurationMs = 0, countedBytes = bytes): void {
    const { targetMs, requestBytes } = this.#options;
    const counted = Math.max(bytes, requestBytes);
    const ofBrokers = (counted * targetMs) / Math.max(1, tookMs - ownDelayMs);
    const ofTimeout = (counted * targetMs * OWN_DELAY_FACTOR) / Math.max(1, tookMs);
    // A cut may make many times as many bytes of the counted ones, and will again; of a small one most is its header.
    const countedShare = bytes < requestBytes ? 1 : Math.min(1, countedBytes / bytes);
    const fits = Math.min(ofBrokers, ofTimeout) * countedShare;
    const isFilled = countedBytes * 2 >= this.bytesMax;
    if (isFilled) this.#bytes = Math.min(fits, Math.max(this.#bytes, this.bytesMax * 2));
    else if (bytes >= requestBytes) this.#bytes = Math.min(fits, this.#bytes);
    this.#lastBytes = fits;
  }

  /**
   * A commit of this many bytes failed in the longest time there is. False where nothing smaller is ever cut. `countedBytes`: as
   * for `taken`.
   */
  refused(bytes: number, countedBytes = bytes): boolean {
    if (bytes <= this.#options.leastBytes) return false;
    this.#bytes = Math.min(this.#bytes, bytes / 2, countedBytes / 2);
    return true;
  }
}
