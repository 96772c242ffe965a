// One probe on its way (Q5), from the process that sends it to whoever reads what is committed.
//
// Owns: which leg it is on, what it met there.
// Does not own: going it (TaskProbe).
//
// Invariants
//   PW1  A leg follows the one before it; none is gone back to. Each says by itself what would hold a heartbeat up at that place.
import type { Clock, DurationMs } from '@flatline/base';
import { OwnDelay } from '../proof/own-delay.ts';

/**
 * `produce`: who leads the input is being found out. `append`: it was sent there and is not acknowledged. `fetch`: it lies in the
 * log and is not read. `clock`: it, or what lies before it, is read and not applied. `commit`: it is applied, and the transaction
 * that says so is not decided. `visible`: that is decided, and readers do not see it yet.
 */
export type ProbeLeg = 'produce' | 'append' | 'fetch' | 'clock' | 'commit' | 'visible';

/** A probe that is on its way for a while. */
export interface ProbePlace {
  readonly leg: ProbeLeg;
  /** Since it began; the process's own delay is taken off. */
  readonly forMs: DurationMs;
  /** Names what the leg waits for, and of whom. */
  readonly waitsFor: string;
}

export class ProbeWay {
  readonly #clock: Clock;
  readonly #startedAt: DurationMs;
  readonly #ownDelay: OwnDelay;
  /** Up to `fetch` and from `commit` on; what is between the two is seen by whoever asks. */
  leg: Exclude<ProbeLeg, 'clock'> = 'produce';
  /** The nodes that lead the inputs, and the changelog, in words. */
  inputLeaders: readonly string[] = [];
  changelogLeader: string | undefined;
  /** Leaders of the changelog and the output, once they were asked for. */
  writtenLeaders: readonly string[] = [];
  /** Offset of it in each input, once acknowledged. */
  offsets: readonly number[] = [];
  /** The last error that it met. */
  trouble: string | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonicMs();
    this.#ownDelay = new OwnDelay(clock);
  }

  get forMs(): DurationMs {
    return Math.max(0, Math.round(this.#clock.monotonicMs() - this.#startedAt - this.#ownDelay.soFarMs));
  }

  /** How long it took, its process's own delay included: a heartbeat waits for that, too. */
  end(): DurationMs {
    this.#ownDelay.end();
    return this.#clock.monotonicMs() - this.#startedAt;
  }
}
