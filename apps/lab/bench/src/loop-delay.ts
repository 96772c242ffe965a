// Measures how long the event loop of this process delays its due callbacks.
//
// A timer of RESOLUTION_MS notes the time between its turns (perf_hooks.monitorEventLoopDelay); any excess over the
// resolution is delay. A blocked loop notes nothing meanwhile, and then one long turn: the percentile is over turns,
// not over time, and the maximum is exact to the resolution. CPU time that the system gives to other processes counts too, so
// another timer notes the CPU time that the thread itself used between turns: how long it would be blocked on a machine of its own.
import type { DurationMs } from '@flatline/base';
import { monitorEventLoopDelay } from 'node:perf_hooks';

export interface LoopDelay {
  readonly p99Ms: DurationMs;
  readonly maxMs: DurationMs;
  /** Most CPU time of the thread between two turns, without waits for the disk; 0 if Node does not tell. */
  readonly turnCpuMs: DurationMs;
}

const RESOLUTION_MS: DurationMs = 5;
const NS_PER_MS = 1e6;

/** The project's goals under any load. */
const LOOP_DELAY_LIMITS = { p99Ms: 50, maxMs: 250 };

export class LoopDelayMeter {
  readonly #histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });

  #timer: NodeJS.Timeout | undefined;
  #cpuMs: DurationMs = 0;
  #turnCpuMs: DurationMs = 0;

  begin(): void {
    clearInterval(this.#timer);
    this.#histogram.reset();
    this.#histogram.enable();
    this.#cpuMs = threadCpuMs();
    this.#turnCpuMs = 0;
    this.#timer = setInterval(this.#note, RESOLUTION_MS).unref();
  }

  /** Delay since `begin`. */
  end(): LoopDelay {
    this.#note();
    clearInterval(this.#timer);
    this.#histogram.disable();
    const delayed = (ns: number): DurationMs => Math.max(0, ns / NS_PER_MS - RESOLUTION_MS);
    return {
      p99Ms: delayed(this.#histogram.percentile(99)),
      maxMs: delayed(this.#histogram.max),
      turnCpuMs: this.#turnCpuMs,
    };
  }

  readonly #note = (): void => {
    const now = threadCpuMs();
    this.#turnCpuMs = Math.max(this.#turnCpuMs, now - this.#cpuMs);
    this.#cpuMs = now;
  };
}

/** CPU time of the main thread; 0 before Node 23.9. */
function threadCpuMs(): DurationMs {
  if (typeof process.threadCpuUsage !== 'function') return 0;
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** The worst of several processes, or turns. */
export function worstDelay(delays: readonly LoopDelay[]): LoopDelay {
  return {
    p99Ms: Math.max(0, ...delays.map(({ p99Ms }) => p99Ms)),
    maxMs: Math.max(0, ...delays.map(({ maxMs }) => maxMs)),
    turnCpuMs: Math.max(0, ...delays.map(({ turnCpuMs }) => turnCpuMs)),
  };
}

/** `12 / 87 / 40` for a table: p99, maximum, most CPU time in milliseconds; a dash for an unknown delay. */
export function loopDelayText(delay: LoopDelay | undefined): string {
  if (delay === undefined) return '–';
  return [delay.p99Ms, delay.maxMs, delay.turnCpuMs].map((ms) => ms.toFixed(0)).join(' / ');
}

export const LOOP_DELAY_NOTE =
  'loop ms: event-loop delay of the process, p99 / most / most of it CPU time of its own thread.';

/** For below a table. */
export function loopDelayVerdict({ p99Ms, maxMs }: LoopDelay): string {
  const isMet = p99Ms <= LOOP_DELAY_LIMITS.p99Ms && maxMs <= LOOP_DELAY_LIMITS.maxMs;
  return `event loop delayed at most ${LOOP_DELAY_LIMITS.p99Ms} ms (p99), ${LOOP_DELAY_LIMITS.maxMs} ms ever: ${isMet ? 'met' : 'MISSED'}`;
}
