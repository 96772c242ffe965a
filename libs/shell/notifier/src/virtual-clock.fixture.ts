import type { Cancel, Clock, DurationMs } from '@flatline/base';

export class VirtualClock implements Clock {
  #nowMs = 0;
  #asleepMs = 0;
  readonly #pending = new Set<{ readonly atMs: number; readonly call: () => void }>();

  wallMs(): number {
    return 1_700_000_000_000 + this.#nowMs + this.#asleepMs;
  }

  /** The machine has slept for so long: its monotonic clock and its timers did not go on. */
  slept(forMs: DurationMs): void {
    this.#asleepMs += forMs;
  }

  monotonicMs(): DurationMs {
    return this.#nowMs;
  }

  after(delayMs: DurationMs, call: () => void): Cancel {
    const timer = { atMs: this.#nowMs + delayMs, call };
    this.#pending.add(timer);
    return () => {
      this.#pending.delete(timer);
    };
  }

  /** All that is due in that time happens, and all that follows from it. */
  async pass(ms: DurationMs): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settled();
    for (;;) {
      const [next] = [...this.#pending].filter(({ atMs }) => atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#pending.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.call();
      await settled();
    }
    this.#nowMs = untilMs;
  }
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}
