// How long the event loop of this process keeps what is due waiting.
//
// A timer of RESOLUTION_MS notes the time between its turns (perf_hooks.monitorEventLoopDelay); what is beyond the
// resolution is delay. A loop that is held notes nothing meanwhile, and then one long turn: the percentile is over turns,
// not over time, and the maximum is exact to the resolution. What the system gives to other processes counts too.
import type { DurationMs } from '@flatline/base';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopDelay {
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
}

const RESOLUTION_MS: DurationMs = 1;
const NS_PER_MS = 1e6;

/** What the project promises, through everything. */
export const LOOP_DELAY_LIMITS: LoopDelay = { p99Ms: 50, maxMs: 250 };

export class LoopDelayMeter {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  begin(): void {
    this.#histogram.reset();
    this.#histogram.enable();
  }

  /** Since `begin`. */
  end(): LoopDelay {
    this.#histogram.disable();
    const delayed = (ns: number): DurationMs => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
    return { p99Ms: delayed(this.#histogram.percentile(99)), maxMs: delayed(this.#histogram.max) };
  }
}

/** Of several processes, or turns: the worst of each. */
export function worstDelay(delays: readonly LoopDelay[]): LoopDelay {
  return {
    p99Ms: Math.max(0, ...delays.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(0, ...delays.map(({ maxMs }) => maxMs)),
  };
}

/** `12 / 87` for a table: p99 and maximum in milliseconds; a dash for those that do not say. */
export function loopDelayText(delay: LoopDelay | undefined): string {
  return delay === undefined ? '–' : `${delay.p99Ms.toFixed(0)} / ${delay.maxMs.toFixed(0)}`;
}
