// Where populations live: a broker, and for each of them topics and a state directory of its own.
import type { DurationMs } from '@flatline/base';
import type { KafkaOptions } from '@flatline/kafka';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchCluster, onBenchCluster } from '../bench-cluster.ts';
import { BenchTopics } from '../bench-topics.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import { PopulationLoad } from './population-load.ts';
import { PIPELINE, type PopulationTask } from './population-task.ts';
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

export class PopulationGround {
  readonly cluster: BenchCluster;
  readonly #workDir: string;
  readonly #partitions: number;

  private constructor(cluster: BenchCluster, workDir: string, partitions: number) {
    this.cluster = cluster;
    this.#workDir = workDir;
    this.#partitions = partitions;
  }

  /** Gives `measure` a ground on a broker, and clears it up. @throws Fatal, Retriable where no broker can be started */
  static async with<T>(
    { workDir, onProgress }: Pick<BenchmarkOptions, 'workDir' | 'onProgress'>,
    partitions: number,
    measure: (ground: PopulationGround) => Promise<T>,
  ): Promise<T> {
    return onBenchCluster({ onProgress }, (cluster) => measure(new PopulationGround(cluster, workDir, partitions)));
  }

  async settle(timeoutMs: DurationMs = NEVER_MS): Promise<Settlement> {
    const { kafka, connection } = this.cluster;
    const application = `bench-${randomUUID()}`;
    const topic = `${application}.input`;
    const stateDir = join(this.#workDir, application);
    const partitions = this.#partitions;
    const topics = new BenchTopics(connection, partitions);
    await topics.createInput(topic);
    await topics.createFor(application, PIPELINE);
    mkdirSync(stateDir, { recursive: true });
    const task = { brokers: kafka.brokers, topic, partitions, application, stateDir, timeoutMs };
    const load = await PopulationLoad.open(connection, topic, { seed: POPULATION_SEED });
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
        rmSync(stateDir, { recursive: true, force: true });
      },
    };
  }
}
