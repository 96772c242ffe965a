import { type PacedProcess, startPaced } from '../paced-process.ts';

/** Heartbeats of random sessions of a population at a steady rate. */
export interface SteadyLoadTask {
  readonly brokers: readonly string[];
  readonly topic: string;
  /** Seed of the keys, the same as the population's other input has. */
  readonly seed: number;
  /** Records that others have written: another order of sessions begins there. */
  readonly written: number;
  readonly sessions: number;
  readonly eventsPerSecond: number;
}

export function startSteadyLoad(task: SteadyLoadTask): PacedProcess {
  return startPaced(import.meta.filename.replace(/steady-load(\.\w+)$/, 'steady-load-process$1'), task);
}
