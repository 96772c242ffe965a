// Heartbeats of live sessions at a steady rate, from a separate process until it is told to stop.
import type { DurationMs } from '@flatline/base';
import { type LoadProcess, startLoad } from './apart.ts';
import type { BeatTask } from './sending-beats.ts';

/** Longest time for which a commit may be missing from a local store (flushIntervalMs). */
const FLUSH_MS: DurationMs = 60_000;
/** Phases of a measurement at a steady rate, long enough to include the cost of flushing. */
export const STEADY = {
  /** Until code is compiled, and every local store has been flushed once. */
  warmUpMs: FLUSH_MS,
  /** Every local store is flushed twice. */
  measuredMs: 2 * FLUSH_MS,
  /** Without input: the last flush is over after that. */
  settleMs: FLUSH_MS + 10_000,
};
export type Steady = typeof STEADY;

export function startBeats(task: BeatTask): LoadProcess {
  return startLoad('beats', task);
}
