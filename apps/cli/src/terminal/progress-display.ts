import type { Clock, DurationMs } from '@flatline/base';
import type { Console } from './console.ts';
import { type Progress, progressText } from './progress.ts';

const REDRAW_EVERY_MS: DurationMs = 100;
const LINE_EVERY_MS: DurationMs = 5000;

/** Shows how far work has come: in place on a terminal, as a line now and then elsewhere. */
export class ProgressDisplay {
  readonly #console: Console;
  readonly #clock: Clock;
  readonly #startedAtMs: DurationMs;
  #shownAtMs: DurationMs;

  constructor(console: Console, clock: Clock) {
    this.#console = console;
    this.#clock = clock;
    this.#startedAtMs = clock.monotonicMs();
    this.#shownAtMs = this.#startedAtMs;
  }

  get elapsedMs(): DurationMs {
    return this.#clock.monotonicMs() - this.#startedAtMs;
  }

  /** As often as one likes: shown no more often than a reader needs. */
  update(progress: Omit<Progress, 'elapsedMs'>): void {
    const now = this.#clock.monotonicMs();
    if (now - this.#shownAtMs < (this.#console.live ? REDRAW_EVERY_MS : LINE_EVERY_MS)) return;
    this.#shownAtMs = now;
    const text = progressText({ ...progress, elapsedMs: this.elapsedMs });
    if (this.#console.live) this.#console.draw(text);
    else this.#console.note(text);
  }

  end(): void {
    this.#console.endRegion('clear');
  }
}
