// Heartbeats of a population, from a process of its own, until it is told to stop: `fork(this, [task as JSON])`.
import { openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { PACE_MS, sendAtPace } from '../paced-process.ts';
import { PopulationLoad } from './population-load.ts';
import type { SteadyLoadTask } from './steady-load.ts';

const { brokers, topic, seed, written, sessions, eventsPerSecond } = JSON.parse(process.argv[2]!) as SteadyLoadTask;
const connection = openCluster({ brokers, clientId: 'flatline-bench', clock: systemClock });
const load = await PopulationLoad.open(connection, topic, { seed, written, lingerMs: PACE_MS });
await sendAtPace(
  eventsPerSecond,
  (count) => load.beat(count, sessions),
  async () => {
    await load.close();
    connection.close();
  },
);
