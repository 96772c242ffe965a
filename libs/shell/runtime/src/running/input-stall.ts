// Notices a transaction that a producer has left open on the input: everything behind it, sound or not, waits for its
// end (F10). Lag does not show it, since nothing of that can be read yet.
//
// Owns: since when the last stable offset stands still.      Does not own: logging it (InputReading).
import type { DurationMs } from '@flatline/base';
import type { LogEnds } from '@flatline/ports';
import { OPEN_TRANSACTION_ALARM_MS } from '../limits.ts';

export class InputStall {
  #stableOffset: number | undefined;
  #sinceMs: DurationMs = 0;
  #alarmedAt: number | undefined;

  /** Where the transaction begins that has held the input back for OPEN_TRANSACTION_ALARM_MS; undefined: none has. */
  get offset(): number | undefined {
    return this.#alarmedAt;
  }

  /** Takes in the leader's newest answer; without one it learns nothing. True where an alarm is due. */
  note({ lastStableOffset, highWatermark, askedAtMs }: LogEnds): boolean {
    if (lastStableOffset >= highWatermark || lastStableOffset !== this.#stableOffset) {
      this.#stableOffset = lastStableOffset;
      this.#sinceMs = askedAtMs;
      this.#alarmedAt = undefined;
      return false;
    }
    if (this.#alarmedAt !== undefined || askedAtMs - this.#sinceMs < OPEN_TRANSACTION_ALARM_MS) return false;
    this.#alarmedAt = lastStableOffset;
    return true;
  }
}
