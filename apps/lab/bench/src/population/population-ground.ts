// Where a population lives: topics and a state directory of its own.
import type { DurationMs } from '@flatline/base';
import type { KafkaOptions } from '@flatline/kafka';
import { rmSync } from 'node:fs';
import { openApplication } from '../frame/application.ts';
import type { Ground } from '../frame/frame.ts';
import { PopulationLoad } from './population-load.ts';
import type { PopulationTask } from './population-task.ts';
import { Population } from './population.ts';

/** Seed of every population's keys. */
export const POPULATION_SEED = 1;
/** No session falls silent. */
const NEVER_MS: DurationMs = 3_600_000;

export interface Settlement {
  readonly kafka: KafkaOptions;
  readonly task: PopulationTask;
  readonly load: PopulationLoad;
  /** Starts a processor of it; ended by `end` at the latest. */
  start(): Population;
  /** Ends its processors, if need be, and deletes its state. */
  end(): Promise<void>;
}

type Place = Pick<
  Ground<{ readonly partitions: number }>,
  'brokers' | 'connection' | 'kafka' | 'partitions' | 'workDir'
>;

export async function settle(ground: Place, timeoutMs: DurationMs = NEVER_MS): Promise<Settlement> {
  const { kafka, connection } = ground;
  const task: PopulationTask = { ...(await openApplication(ground)), timeoutMs };
  const load = await PopulationLoad.open(connection, task.topic, { seed: POPULATION_SEED });
  const started: Population[] = [];
  return {
    kafka,
    task,
    load,
    start: () => {
      const population = new Population(task);
      started.push(population);
      return population;
    },
    end: async () => {
      await Promise.all(started.map((population) => population.kill()));
      await load.close();
      rmSync(task.stateDir, { recursive: true, force: true });
    },
  };
}
