// Notices that a proof of silence is in the log and is not read: a clock record that was acknowledged (C2), an end that was
// answered (C3). The leader that is read from was then deposed and does not know it: its log ends before. Lag does not show
// that, since it comes from the same leader.
//
// Owns: since when, what was logged, what was done.
// Does not own: doing it (SilenceWatch), what is owed (SilenceProof).
import type { DurationMs } from '@flatline/base';
import { PROOF_PATIENCE_MS } from '../limits.ts';

export interface ReadBackStep {
  /** To be logged, once. */
  readonly alarm: boolean;
  /** The leader is to be doubted. */
  readonly doubt: boolean;
  /** When to look next; undefined: when something happens. */
  readonly againInMs: DurationMs | undefined;
}

export class ReadBack {
  #alarmed = false;
  #doubtedAtMs = -Infinity;

  /** True while something is not read back for longer than it may take. */
  get isOverdue(): boolean {
    return this.#alarmed;
  }

  /**
   * `owedSinceMs`: monotonic; undefined: all has been read. `isExplained`: by an open transaction before it (F10), or because the
   * leader has not answered a question that was put to it since; both are told elsewhere. A leader that was deposed may claim the
   * first, too, and is doubted all the same.
   */
  note(owedSinceMs: DurationMs | undefined, isExplained: boolean, monotonicNow: DurationMs): ReadBackStep {
    if (owedSinceMs === undefined) {
      this.#alarmed = false;
      return { alarm: false, doubt: false, againInMs: undefined };
    }
    const dueAtMs = Math.max(owedSinceMs, this.#doubtedAtMs) + PROOF_PATIENCE_MS;
    if (monotonicNow < dueAtMs) return { alarm: false, doubt: false, againInMs: dueAtMs - monotonicNow };
    const alarm = !this.#alarmed && !isExplained;
    this.#alarmed = !isExplained;
    this.#doubtedAtMs = monotonicNow;
    return { alarm, doubt: true, againInMs: PROOF_PATIENCE_MS };
  }
}
