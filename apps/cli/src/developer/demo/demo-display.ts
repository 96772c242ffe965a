// Shows a running demo: a view that is redrawn on a terminal, lines elsewhere.
//
// Owns: the rates, when to show.      Does not own: the figures (their parts), the text (demo-view).
import type { Clock, DurationMs } from '@flatline/base';
import type { RunningFleet } from '@flatline/fleet';
import type { Console } from '../../terminal/console.ts';
import type { Closes } from './closes.ts';
import { DEMO_TIMEOUT_MS } from './demo-settings.ts';
import { type DemoStage, inputOf } from './demo-stage.ts';
import { type DemoPicture, demoStatusLine, type PartitionRow, renderDemo } from './demo-view.ts';
import { RateWindow } from './rate-window.ts';

const LINE_EVERY_MS: DurationMs = 2000;
const RATE_WINDOW_MS: DurationMs = 3000;

export interface DemoParts {
  readonly stage: DemoStage;
  readonly running: RunningFleet;
  readonly closes: Closes;
  /** undefined: no end. */
  readonly total: number | undefined;
}

export class DemoDisplay {
  readonly #parts: DemoParts;
  readonly #console: Console;
  readonly #clock: Clock;
  readonly #startedAtMs: DurationMs;
  readonly #heartbeats = new RateWindow(RATE_WINDOW_MS);
  readonly #closed = new RateWindow(RATE_WINDOW_MS);
  #lineAtMs: DurationMs;

  constructor(parts: DemoParts, console: Console, clock: Clock) {
    this.#parts = parts;
    this.#console = console;
    this.#clock = clock;
    this.#startedAtMs = clock.monotonicMs();
    this.#lineAtMs = this.#startedAtMs;
  }

  get elapsedMs(): DurationMs {
    return this.#clock.monotonicMs() - this.#startedAtMs;
  }

  /** To be called a few times per second. */
  show(phase: string | undefined): void {
    const picture = this.#picture(phase);
    if (this.#console.live) {
      this.#console.draw(renderDemo(picture, this.#console.liveColors, this.#console));
      return;
    }
    const now = this.#clock.monotonicMs();
    if (now - this.#lineAtMs < LINE_EVERY_MS) return;
    this.#lineAtMs = now;
    const { heartbeats, live, begun, closed, elapsedMs } = picture;
    this.#console.result({ kind: 'status', elapsedMs, heartbeats, begun, live, closed }, demoStatusLine(picture));
  }

  #picture(phase: string | undefined): DemoPicture {
    const { stage, running, closes, total } = this.#parts;
    const { fleet, sender } = running;
    const now = this.#clock.monotonicMs();
    this.#heartbeats.sample(now, sender.heartbeats);
    this.#closed.sample(now, closes.closed);
    const partitions = partitionRows(stage);
    return {
      broker: stage.config.brokers.join(','),
      topic: inputOf(stage.config),
      timeoutMs: DEMO_TIMEOUT_MS,
      http: stage.processor.httpAddress,
      elapsedMs: Math.round(this.elapsedMs),
      heartbeats: sender.heartbeats,
      begun: fleet.started,
      heartbeatsPerSecond: this.#heartbeats.perSecond,
      closedPerSecond: this.#closed.perSecond,
      closed: closes.closed,
      live: partitions.reduce((sum, row) => sum + row.liveEntries, 0),
      total,
      partitions,
      closeDelayMs: closes.closeDelayMs,
      recent: closes.recent,
      phase,
    };
  }
}

function partitionRows({ processor }: DemoStage): PartitionRow[] {
  const { tasks } = processor.snapshot();
  return tasks.map(({ partition, state, liveEntries, lag, detail, counters }) => ({
    partition,
    state,
    liveEntries,
    lag,
    detail,
    recordsRead: counters?.recordsRead ?? 0,
    sessionsClosed:
      (counters?.['closedByTimeout'] ?? 0) +
      (counters?.['closedByEnd'] ?? 0) +
      (counters?.['closedByMaxDuration'] ?? 0),
  }));
}
