// The topics and the state directory of a population.
import type { DurationMs } from '@flatline/base';
import { rmSync } from 'node:fs';
import { openApplication, type Place } from '../frame/application.ts';
import { Instance } from '../processor/instance.ts';
import { type InstanceTask, NEVER_MS } from '../tasks/instance-task.ts';
import { PopulationLoad } from './population-load.ts';

/** Seed of every population's keys. */
export const POPULATION_SEED = 1;
const COMMIT_INTERVAL_MS: DurationMs = 200;

export interface PopulationSite {
  readonly task: InstanceTask;
  readonly load: PopulationLoad;
  /** Starts a processor of it; `end` ends it at the latest. */
  start(): Instance;
  /** Ends its processors, if need be, and deletes its state. */
  end(): Promise<void>;
}

export async function openSite(place: Place, timeoutMs: DurationMs = NEVER_MS): Promise<PopulationSite> {
  const task = { ...(await openApplication(place)), timeoutMs, commitIntervalMs: COMMIT_INTERVAL_MS };
  const load = await PopulationLoad.open(place.connection, task.topic, { seed: POPULATION_SEED });
  const started: Instance[] = [];
  return {
    task,
    load,
    start: () => {
      const instance = new Instance(task);
      started.push(instance);
      return instance;
    },
    end: async () => {
      await Promise.all(started.map((instance) => instance.kill()));
      await load.close();
      rmSync(task.stateDir, { recursive: true, force: true });
    },
  };
}
