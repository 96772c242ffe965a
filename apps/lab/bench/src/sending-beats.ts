// Heartbeats of live sessions at a steady rate: the work of the process that beats.ts starts.
import { openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { PopulationLoad } from './population/population-load.ts';

export interface BeatTask {
  readonly brokers: readonly string[];
  readonly topic: string;
  /** Seed of the keys, the same as for the sessions' other input. */
  readonly seed: number;
  /** Records already written by others, after which sessions beat in another order. Undefined: sessions beat in turn. */
  readonly written?: number;
  readonly sessions: number;
  /** PopulationLoad's. */
  readonly isKeyed?: boolean;
  readonly eventsPerSecond: number;
}

/** Between two looks for due heartbeats, which are sent in one piece. */
export const PACE_MS = 5;

/**
 * Late heartbeats are sent as soon as possible.
 * @returns events per second that were sent
 */
export async function sendBeats({
  brokers,
  topic,
  seed,
  written,
  sessions,
  isKeyed = false,
  eventsPerSecond,
}: BeatTask): Promise<number> {
  const stop = new AbortController();
  process.once('message', () => {
    stop.abort();
  });
  const connection = openCluster({ brokers, clientId: 'flatline-bench', clock: systemClock });
  const load = await PopulationLoad.open(connection, topic, {
    seed,
    written: written ?? 0,
    lingerMs: PACE_MS,
    isKeyed,
  });
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
