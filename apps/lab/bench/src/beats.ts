// Heartbeats of living sessions at a steady rate, from a process of its own until it is told to stop.
import type { DurationMs } from '@flatline/base';
import { openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { type LoadProcess, startLoad } from './apart.ts';
import { PopulationLoad } from './population/population-load.ts';

export interface BeatTask {
  readonly brokers: readonly string[];
  readonly topic: string;
  /** Seed of the keys, the same as the sessions' other input has. */
  readonly seed: number;
  /** Records that others have written: another order of sessions begins there. Undefined: sessions beat in turn. */
  readonly written?: number;
  readonly sessions: number;
  readonly eventsPerSecond: number;
}

/** Between two looks at what is due; what is due is sent in one piece. */
export const PACE_MS = 5;
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

/**
 * In that process. What could not be sent in time is sent as soon as it can be.
 * @returns events per second that were sent
 */
export async function sendBeats({
  brokers,
  topic,
  seed,
  written,
  sessions,
  eventsPerSecond,
}: BeatTask): Promise<number> {
  const stop = new AbortController();
  process.once('message', () => {
    stop.abort();
  });
  const connection = openCluster({ brokers, clientId: 'flatline-bench', clock: systemClock });
  const load = await PopulationLoad.open(connection, topic, { seed, written: written ?? 0, lingerMs: PACE_MS });
  const startedAtMs = performance.now();
  let sent = 0;
  while (!stop.signal.aborted) {
    const due = Math.floor(((performance.now() - startedAtMs) * eventsPerSecond) / 1_000);
    if (written === undefined) await load.beatInTurn(sent, due, sessions);
    else await load.beat(due - sent, sessions);
    sent = due;
    await delay(PACE_MS);
  }
  const eventsPerSecondSent = (1_000 * sent) / (performance.now() - startedAtMs);
  await load.close();
  connection.close();
  return eventsPerSecondSent;
}
