// Shows what a fleet and a processor do: a view that is redrawn on a terminal, lines elsewhere.
//
// Owns: the rates, when to show.
// Does not own: the figures (their parts), the text (view.ts).
import type { Clock, DurationMs } from '@flatline/base';
import type { RunningFleet } from '@flatline/fleet';
import type { Console } from '../../terminal/console.ts';
import type { Closes } from './closes.ts';
import type { Monitor } from './monitor.ts';
import { type Stage, inputOf } from './stage.ts';
import { heightOf, type PartitionRow, renderShow, type ShowPicture, statusLine } from './view.ts';
import { RateWindow } from './rate-window.ts';

const LINE_EVERY_MS: DurationMs = 2000;
const RATE_WINDOW_MS: DurationMs = 3000;

export interface DisplayParts {
  readonly stage: Stage;
  readonly running: RunningFleet;
  readonly closes: Closes;
  readonly monitor: Monitor;
  /** undefined: no end. */
  readonly total: number | undefined;
  /** Text above a terminal's view that is to stay in sight. */
  readonly above: string;
}

export class Display {
  readonly #parts: DisplayParts;
  readonly #console: Console;
  readonly #clock: Clock;
  readonly #startedAtMs: DurationMs;
  readonly #heartbeats = new RateWindow(RATE_WINDOW_MS);
  readonly #closed = new RateWindow(RATE_WINDOW_MS);
  #lineAtMs: DurationMs;

  constructor(parts: DisplayParts, console: Console, clock: Clock) {
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
      const { columns, rows, liveColors } = this.#console;
      const taken = heightOf(this.#parts.above.split('\n'), columns);
      this.#console.draw(renderShow(picture, liveColors, { columns, rows: rows - taken }));
      return;
    }
    const now = this.#clock.monotonicMs();
    if (now - this.#lineAtMs < LINE_EVERY_MS) return;
    this.#lineAtMs = now;
    const { heartbeats, live, begun, closed, elapsedMs } = picture;
    this.#console.result({ kind: 'status', elapsedMs, heartbeats, begun, live, closed }, statusLine(picture));
  }

  #picture(phase: string | undefined): ShowPicture {
    const { stage, running, closes, monitor, total } = this.#parts;
    const { fleet, sender } = running;
    const now = this.#clock.monotonicMs();
    this.#heartbeats.sample(now, sender.heartbeats);
    this.#closed.sample(now, closes.closed);
    const partitions = partitionRows(stage);
    return {
      broker: stage.config.brokers.join(','),
      topic: inputOf(stage.config),
      name: stage.show.name,
      timeoutMs: stage.show.timeoutMs,
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
      monitored: monitor.sessions(now),
      phase,
    };
  }
}

function partitionRows({ processor }: Stage): PartitionRow[] {
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
      (counters?.['closedByMaxDuration'] ?? 0) +
      (counters?.['closedByEviction'] ?? 0),
  }));
}
