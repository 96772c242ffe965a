// Heartbeats of living sessions at a steady rate, from a process of its own until it is told to stop.
import type { DurationMs } from '@flatline/base';
import { type LoadProcess, startLoad } from './apart.ts';
import type { BeatTask } from './sending-beats.ts';

/** A local store lacks what was committed for so long, at most (flushIntervalMs). */
const FLUSH_MS: DurationMs = 60_000;
/** How long a cost at a steady rate is measured, so that it holds what flushing costs. */
export const STEADY = {
  /** Until code is compiled, and every local store has been flushed once. */
  warmUpMs: FLUSH_MS,
  /** Every local store is flushed twice. */
  measuredMs: 2 * FLUSH_MS,
  /** Once nothing comes any more: the last flush is over after that. */
  settleMs: FLUSH_MS + 10_000,
};
export type Steady = typeof STEADY;

export function startBeats(task: BeatTask): LoadProcess {
  return startLoad('beats', task);
}
