// A fixed piece of work of this project's own, as a measure of the machine: divide seconds of two occasions by it
// before comparing them. Never change it, or figures published with it mean nothing any more.
import type { DurationMs } from '@flatline/base';
import { measureApart } from './apart.ts';

/** CPU time of one thread each. */
export interface Yardstick {
  /** Mixing of 32-bit integers, within registers. */
  readonly computeMs: DurationMs;
  /** Sorting of 64-bit floats, mostly within the caches. */
  readonly sortMs: DurationMs;
  /** Reads that each wait for the one before, all over an array much larger than the caches. */
  readonly accessMs: DurationMs;
  /** Wall time of all three: what exceeds their sum went to other processes. */
  readonly elapsedMs: DurationMs;
}

/** In a process of its own, a few seconds. @throws Error where that process fails */
export function yardstick(): Promise<Yardstick> {
  return measureApart({ work: 'yardstick', args: [], what: 'yardstick' });
}

/** `3.1 s (compute 0.9, sort 0.8, access 1.4; 3.2 s by the wall clock)`. */
export function yardstickText({ computeMs, sortMs, accessMs, elapsedMs }: Yardstick): string {
  const [all, compute, sort, access, elapsed] = [
    computeMs + sortMs + accessMs,
    computeMs,
    sortMs,
    accessMs,
    elapsedMs,
  ].map((ms) => (ms / 1_000).toFixed(2));
  return `${all} s of CPU (compute ${compute}, sort ${sort}, access ${access}), ${elapsed} s by the wall clock`;
}
