// Doubt whether another has fenced a run since its last commit (CR3): the next one takes it away.
//
// Time is the greater of what two clocks say. The monotonic one stands still while its machine sleeps, the other may be set back; one
// that jumps ahead costs a commit.
//
// Owns: when the last commit began and was over, and how long it and the one before it took.
// Does not own: commits, what waits for them.
import type { Clock, DurationMs, Millis } from '@flatline/base';
import { UNFENCED_MS } from './limits.ts';

interface Instant {
  readonly monotonicMs: DurationMs;
  readonly wallMs: Millis;
}

/** Factor from which on a wait is far longer than the one before. */
const LONGER = 2;
const NEVER: Instant = { monotonicMs: -Infinity, wallMs: -Infinity };

export class FenceDoubt {
  readonly #clock: Pick<Clock, 'monotonicMs' | 'wallMs'>;
  #beganAt = NEVER;
  #committedAt = NEVER;
  #tookMs: readonly [last: DurationMs, before: DurationMs] = [0, 0];

  constructor(clock: Pick<Clock, 'monotonicMs' | 'wallMs'>) {
    this.#clock = clock;
  }

  /** A commit begins. */
  began(): void {
    this.#beganAt = this.#now();
  }

  /** It is in the log. */
  committed(): void {
    this.#tookMs = [this.#sinceMs(this.#beganAt), this.#tookMs[0]];
    this.#committedAt = this.#now();
  }

  /**
   * True if another may have come since the last commit, or while that was under way: of one that took far longer than the one before
   * only the next one tells whether brokers are slow or this process stood still. Two alike are brokers.
   */
  get isThere(): boolean {
    const [lastMs, beforeMs] = this.#tookMs;
    const usualMs = beforeMs > UNFENCED_MS ? LONGER * beforeMs : UNFENCED_MS;
    return lastMs > usualMs || this.#sinceMs(this.#committedAt) > UNFENCED_MS;
  }

  #now(): Instant {
    return { monotonicMs: this.#clock.monotonicMs(), wallMs: this.#clock.wallMs() };
  }

  #sinceMs(then: Instant): DurationMs {
    const { monotonicMs, wallMs } = this.#now();
    return Math.max(monotonicMs - then.monotonicMs, wallMs - then.wallMs);
  }
}
