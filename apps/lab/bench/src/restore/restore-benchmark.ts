// How fast an instance runs again: after a clean stop, after kill −9 and from the changelog alone, beside Kafka Streams with as
// many keys.
import type { DurationMs } from '@flatline/base';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchCluster, onBenchCluster } from '../bench-cluster.ts';
import { BenchTopics } from '../bench-topics.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { PopulationLoad } from '../population/population-load.ts';
import { startSteadyLoad } from '../population/steady-load.ts';
import type { ContenderTask } from '../throughput/contender-task.ts';
import { PIPELINE } from '../throughput/flatline-processing.ts';
import { type EndBefore, type RestoreContender, restoreContenders, type Restarted } from './restore-contenders.ts';
import type { RestoreTurn } from './restore-cost.ts';

export interface RestoreSettings {
  readonly sessions: number;
  readonly partitions: number;
  readonly repeats: number;
}

export interface RestoreRow {
  readonly contender: string;
  readonly after: EndBefore;
  readonly turns: readonly RestoreTurn[];
}

type Surroundings = Pick<BenchmarkOptions, 'workDir' | 'onProgress'>;

interface Ground extends Surroundings, RestoreSettings, BenchCluster {}

const COMMIT_INTERVAL_MS = 200;
/** While one is killed: it has something under way, and its state is not what it was when it began. */
const BEATS_PER_SECOND = 20_000;
const BEATS_MS: DurationMs = 5_000;
/** @throws Error where not every entry comes back, or a process fails. */
export async function measureRestore(
  settings: RestoreSettings,
  kafkaStreams: PeerLookUp,
  surroundings: Surroundings,
): Promise<readonly RestoreRow[]> {
  return onBenchCluster(surroundings, async (cluster) => {
    const ground = { ...surroundings, ...settings, ...cluster };
    const rows: RestoreRow[] = [];
    // One after the other, not in turns: a group forgets a member that is away while others are measured.
    for (const contender of restoreContenders(kafkaStreams)) rows.push(...(await measureContender(contender, ground)));
    return rows;
  });
}

async function measureContender(contender: RestoreContender, ground: Ground): Promise<readonly RestoreRow[]> {
  const { brokers, connection, partitions, sessions, repeats, workDir, onProgress } = ground;
  const { name, ends } = contender;
  const application = `bench-${randomUUID()}`;
  const topic = `${application}.input`;
  const stateDir = join(workDir, application);
  const task: ContenderTask = {
    brokers,
    topic,
    partitions,
    application,
    stateDir,
    records: sessions,
    sessions,
    commitIntervalMs: COMMIT_INTERVAL_MS,
  };
  const rows = ends.map((after) => ({ contender: name, after, turns: [] as RestoreTurn[] }));
  try {
    const topics = new BenchTopics(connection, partitions);
    await topics.createInput(topic);
    await topics.createFor(application, PIPELINE);
    // Each session once: a changelog of one image per session, the least there can be to read.
    const load = await PopulationLoad.open(connection, topic, { seed: POPULATION_SEED });
    await load.open(0, sessions);
    await load.close();
    mkdirSync(stateDir, { recursive: true });
    onProgress(`${name}: filling`);
    await contender.fill(task);
    let running: Restarted | undefined;
    for (let repeat = 0; repeat < repeats; repeat += 1)
      for (const { after, turns } of rows) {
        onProgress(`${name}: after ${after}, ${repeat + 1} of ${repeats}`);
        await end(running, after, task);
        const before = ground.brokerCpu.nowMs();
        running = await contender.restart(task);
        const spent = ground.brokerCpu.nowMs();
        const { entries } = running.cost;
        if (after === 'loss of its disk' && entries < sessions)
          throw new Error(`${name} has read back ${entries} of ${sessions} sessions`);
        const brokerCpuMs = before === undefined || spent === undefined ? undefined : spent - before;
        turns.push({ ...running.cost, brokerCpuMs });
      }
    await running?.stop();
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
  return rows;
}

/** @param running undefined: it has ended in good order */
async function end(running: Restarted | undefined, how: EndBefore, task: ContenderTask): Promise<void> {
  const { brokers, topic, stateDir, sessions } = task;
  if (how === 'kill −9') {
    const load = { brokers, topic, seed: POPULATION_SEED, written: sessions, sessions };
    const beats = startSteadyLoad({ ...load, eventsPerSecond: BEATS_PER_SECOND });
    await delay(BEATS_MS);
    await running?.kill();
    beats.kill();
  } else await running?.stop();
  if (how === 'loss of its disk') rmSync(stateDir, { recursive: true, force: true });
  mkdirSync(stateDir, { recursive: true });
}
