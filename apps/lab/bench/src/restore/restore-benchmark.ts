// How fast an instance runs again: after a clean stop, after kill −9 and from the changelog alone, beside Kafka Streams with as
// many keys.
import type { DurationMs } from '@flatline/base';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Application, withApplication } from '../frame/application.ts';
import type { Ground } from '../frame/frame.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { PopulationLoad } from '../population/population-load.ts';
import { startSteadyLoad } from '../population/steady-load.ts';
import type { ContenderTask } from '../throughput/contender-task.ts';
import type { EndBefore, RestoreContender, RestoreCost, Restarted } from './restore-contenders.ts';

interface RestoreSettings {
  readonly sessions: number;
  readonly partitions: number;
  readonly repeats: number;
}

/** One turn, seen by the process that started it. */
export interface RestoreTurn extends RestoreCost {
  /** CPU time of the broker's processes from the start until it ran; undefined where they are not ours to see. */
  readonly brokerCpuMs: DurationMs | undefined;
}

export interface RestoreRow {
  readonly contender: string;
  readonly after: EndBefore;
  readonly turns: readonly RestoreTurn[];
}

type RestoreGround = Ground<RestoreSettings>;

const COMMIT_INTERVAL_MS = 200;
/** While one is killed: it has something under way, and its state is not what it was when it began. */
const BEATS_PER_SECOND = 20_000;
const BEATS_MS: DurationMs = 5_000;

/** @throws Error where not every entry comes back, or a process fails. */
export async function measureRestore(
  ground: RestoreGround,
  contenders: readonly RestoreContender[],
): Promise<{ readonly rows: readonly RestoreRow[] }> {
  const rows: RestoreRow[] = [];
  // One after the other, not in turns: a group forgets a member that is away while others are measured.
  for (const contender of contenders)
    rows.push(...(await withApplication(ground, (application) => measureContender(contender, ground, application))));
  return { rows };
}

async function measureContender(
  contender: RestoreContender,
  ground: RestoreGround,
  application: Application,
): Promise<readonly RestoreRow[]> {
  const { connection, sessions, repeats, brokerCpu, onProgress } = ground;
  const { name, ends } = contender;
  const task = { ...application, records: sessions, sessions, commitIntervalMs: COMMIT_INTERVAL_MS };
  const rows = ends.map((after) => ({ contender: name, after, turns: [] as RestoreTurn[] }));
  // Each session once: a changelog of one image per session, the least there can be to read.
  const load = await PopulationLoad.open(connection, task.topic, { seed: POPULATION_SEED });
  await load.open(0, sessions);
  await load.close();
  onProgress(`${name}: filling`);
  await contender.fill(task);
  let running: Restarted | undefined;
  for (let repeat = 0; repeat < repeats; repeat += 1)
    for (const { after, turns } of rows) {
      onProgress(`${name}: after ${after}, ${repeat + 1} of ${repeats}`);
      await end(running, after, task);
      const before = brokerCpu.nowMs();
      running = await contender.restart(task);
      const brokerCpuMs = brokerCpu.sinceMs(before);
      const { entries } = running.cost;
      if (after === 'loss of its disk' && entries < sessions)
        throw new Error(`${name} has read back ${entries} of ${sessions} sessions`);
      turns.push({ ...running.cost, brokerCpuMs });
    }
  await running?.stop();
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
