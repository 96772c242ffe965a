// Figures that the demo has read from its output topic: counts, the newest summaries, how late they come.
//
// Owns: those figures.
// Does not own: reading (SummaryConsumer), judging (FleetCheck).
import type { OutputRecord } from '@flatline/client/parts';
import type { ClosedSession, ShowPicture } from './view.ts';
import { RecentValues } from './recent-values.ts';

const RECENT_MAX = 8;
const DELAYS_MAX = 2000;

export class Closes {
  readonly #recent: ClosedSession[] = [];
  readonly #delaysMs = new RecentValues(DELAYS_MAX);
  #closed = 0;

  add(record: OutputRecord): void {
    if (record.kind !== 'summary') return;
    this.#closed += 1;
    this.#recent.unshift(record.summary);
    if (this.#recent.length > RECENT_MAX) this.#recent.pop();
    const { reason, emittedAt, deadlineAt } = record.summary;
    // An explicit end is told of at once; what is shown is how long after its deadline a silence is.
    if (reason === 'TIMEOUT') this.#delaysMs.add(Math.max(0, emittedAt - deadlineAt));
  }

  get closed(): number {
    return this.#closed;
  }

  /** Newest first. */
  get recent(): readonly ClosedSession[] {
    return this.#recent;
  }

  get closeDelayMs(): ShowPicture['closeDelayMs'] {
    const median = this.#delaysMs.quantile(0.5);
    const p99 = this.#delaysMs.quantile(0.99);
    return median === undefined || p99 === undefined ? undefined : { median, p99 };
  }
}
