// Draws a world of tasks by seed: how they are leased, limited and tried again, and the configuration of the two pipelines.
import type { DurationMs } from '@flatline/base';
import { Simulation } from '@flatline/cluster';
import { type FlatlineConfig, resolveConfiguration } from '@flatline/config';

export interface TaskScenario {
  readonly partitions: number;
  readonly workers: number;
  readonly config: FlatlineConfig;
  /** False: workers have no leases, and nothing keeps two of them from one task. */
  readonly isLeased: boolean;
  readonly leaseTimeoutMs: DurationMs;
  readonly clockSkewMs: DurationMs;
  /** An attempt's limit; undefined: none. */
  readonly timeoutMs: DurationMs | undefined;
  readonly attempts: number;
  readonly firstMs: DurationMs;
  readonly mostMs: DurationMs;
  /** A retry is a schedule, or its worker waits. */
  readonly retryBy: 'schedule' | 'worker';
  /** Machines of workers may be suspended, and with them the clock by which a lease is given up. */
  readonly suspends: boolean;
  /** Processors are killed, too. */
  readonly killsProcessors: boolean;
}

export const TASKS = 'tasks';
export const LOCKS = 'locks';
export const DUE = `${TASKS}-due`;
export const RESULTS = `${DUE}.results`;
export const WORKERS_GROUP = 'workers';
const LEASED = 3 / 4;

export function drawTasks(seed: number): TaskScenario {
  const random = new Simulation({ seed }).random('tasks');
  const partitions = 1 + random.below(3);
  const leaseTimeoutMs = 1_500 + random.below(2_500);
  const onConflict = random.chance(0.6) ? 'queue' : 'reject';
  const topics = (name: string, output: string) => ({ input: { topic: `${name}-in` }, output: { topic: output } });
  const written = {
    application: 'world',
    brokers: ['nowhere:9092'],
    commitIntervalMs: 100,
    pipelines: [
      { name: TASKS, kind: 'schedule', ...topics(TASKS, DUE) },
      {
        name: LOCKS,
        kind: 'lease',
        timeoutMs: leaseTimeoutMs,
        minTimeoutMs: 1_000,
        onConflict,
        ...topics(LOCKS, LOCKS),
      },
    ],
  };
  const firstMs = 300 + random.below(700);
  return {
    partitions,
    workers: 2 + random.below(3),
    config: resolveConfiguration(written, { source: 'world', folder: '/', environment: {} }),
    isLeased: random.chance(LEASED),
    leaseTimeoutMs,
    clockSkewMs: 300,
    timeoutMs: random.chance(0.6) ? 2_000 + random.below(6_000) : undefined,
    attempts: 2 + random.below(3),
    firstMs,
    mostMs: firstMs * 3,
    retryBy: random.chance(0.7) ? 'schedule' : 'worker',
    suspends: random.chance(0.3),
    killsProcessors: random.chance(0.4),
  };
}
