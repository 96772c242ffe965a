// Notices that what the log was asked for in proof of silence is there and is not read: a clock record that was acknowledged
// (C2), an end that was answered (C3). Whoever reads is then read to by a leader that was deposed and does not know it, whose
// log ends before; lag shows nothing of that, being told by the same leader.
//
// Owns: since when, and what was said and done about it.      Does not own: doing it (TaskLoop), what is owed (SilenceProof).
import type { DurationMs } from '@flatline/base';
import { PROOF_PATIENCE_MS } from '../instance/limits.ts';

export interface ReadBackStep {
  /** To be said, once. */
  readonly alarm: boolean;
  /** The leader is to be doubted. */
  readonly doubt: boolean;
  /** When to look next; undefined: when something happens. */
  readonly againInMs: DurationMs | undefined;
}

export class ReadBack {
  #alarmed = false;
  #doubtedAtMs = -Infinity;

  /** Whether something is not read back for longer than it may take. */
  get isOverdue(): boolean {
    return this.#alarmed;
  }

  /**
   * `owedSinceMs`: monotonic; undefined: all has been read. `isHeld`: a transaction that is open before it explains that it is
   * not (F10), and is said elsewhere; yet that, too, is the word of a leader that may have been deposed.
   */
  note(owedSinceMs: DurationMs | undefined, isHeld: boolean, monotonicNow: DurationMs): ReadBackStep {
    if (owedSinceMs === undefined) {
      this.#alarmed = false;
      return { alarm: false, doubt: false, againInMs: undefined };
    }
    const dueAtMs = Math.max(owedSinceMs, this.#doubtedAtMs) + PROOF_PATIENCE_MS;
    if (monotonicNow < dueAtMs) return { alarm: false, doubt: false, againInMs: dueAtMs - monotonicNow };
    const alarm = !this.#alarmed && !isHeld;
    this.#alarmed = !isHeld;
    this.#doubtedAtMs = monotonicNow;
    return { alarm, doubt: true, againInMs: PROOF_PATIENCE_MS };
  }
}
