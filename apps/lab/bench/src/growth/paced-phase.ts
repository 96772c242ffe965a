// What a heartbeat costs when no more come than do: at the same rate among few sessions and among many.
import type { DurationMs } from '@flatline/base';
import { setTimeout as delay } from 'node:timers/promises';
import type { LoopDelay } from '../loop-delay.ts';
import type { Population } from '../population/population.ts';
import { POPULATION_SEED, type Settlement } from '../population/population-ground.ts';
import { startSteadyLoad } from '../population/steady-load.ts';

export interface PacedCost {
  readonly heartbeatsPerSecond: number;
  /** CPU of the whole process per second, under this load and, afterwards, under none. */
  readonly cpuMsPerSecond: DurationMs;
  readonly idleCpuMsPerSecond: DurationMs;
  /** Under the load. */
  readonly loopDelay: LoopDelay;
}

/** Until code is compiled, and the local stores have been flushed once: each 15 s. */
const WARM_UP_MS: DurationMs = 15_000;
/** Every local store is flushed twice. */
const MEASURED_MS: DurationMs = 30_000;
/** The last flush is over after that. */
const SETTLE_MS: DurationMs = 20_000;
const IDLE_MS: DurationMs = 10_000;

/** @param population runs, and has nothing left to read. @throws Error where it ends, or the process that sends */
export async function measurePaced(
  { task, load }: Settlement,
  population: Population,
  sessions: number,
  eventsPerSecond: number,
): Promise<PacedCost> {
  const { brokers, topic } = task;
  const { beats: written } = load;
  const beats = startSteadyLoad({ brokers, topic, seed: POPULATION_SEED, written, sessions, eventsPerSecond });
  try {
    await delay(WARM_UP_MS);
    const paced = await population.watch(MEASURED_MS);
    await beats.stop();
    await delay(SETTLE_MS);
    const idle = await population.watch(IDLE_MS);
    return {
      heartbeatsPerSecond: (1_000 * paced.heartbeats) / paced.elapsedMs,
      cpuMsPerSecond: (1_000 * paced.cpuMs) / paced.elapsedMs,
      idleCpuMsPerSecond: (1_000 * idle.cpuMs) / idle.elapsedMs,
      loopDelay: paced.loopDelay!,
    };
  } finally {
    beats.kill();
  }
}
