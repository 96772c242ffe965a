// How fast an instance runs again: after a clean stop, after kill −9 and from the changelog alone; compared with Kafka Streams with
// as many keys.
import type { DurationMs } from '@flatline/base';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { startBeats } from '../beats.ts';
import { withApplication } from '../frame/application.ts';
import { type Application } from '../tasks/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { PopulationLoad } from '../population/population-load.ts';
import { short } from '../text-table.ts';
import type { ContenderTask } from '../tasks/contender-task.ts';
import { type RestoreContender, restoreLineUp, type Restarted } from './restore-contenders.ts';
import { type EndBefore, RESTORE_PAGE, restoreRows, type RestoreTurn, type RestoreTurns } from './restore-page.ts';

const DEFAULTS = { sessions: 1_000_000, partitions: 4, repeats: 3 };
const COMMIT_INTERVAL_MS = 200;
/** Load during a kill, so that work is under way, and the state has changed since the start. */
const BEATS_PER_SECOND = 20_000;
const BEATS_MS: DurationMs = 5_000;

type RestoreGround = Ground<typeof DEFAULTS>;

export const restore = framed({
  name: 'restore',
  description:
    'how fast an instance runs again after a clean stop, kill −9 and the loss of its disk, beside Kafka Streams',
  settings: (options) => over(DEFAULTS, options),
  lineUp: restoreLineUp,
  conditions: ({ sessions, partitions }) => `${short(sessions)} sessions, ${partitions} partitions`,
  measure: measureRestore,
  report: ({ rows }) => ({ rows: restoreRows(rows), page: RESTORE_PAGE }),
});

/** @throws Error if an entry does not come back, or a process fails. */
async function measureRestore(
  ground: RestoreGround,
  contenders: readonly RestoreContender[],
): Promise<{ readonly rows: readonly RestoreTurns[] }> {
  const rows: RestoreTurns[] = [];
  // In sequence, not in turns: a group forgets a member that is away while others are measured.
  for (const contender of contenders)
    rows.push(...(await withApplication(ground, (application) => measureContender(contender, ground, application))));
  return { rows };
}

async function measureContender(
  contender: RestoreContender,
  ground: RestoreGround,
  application: Application,
): Promise<readonly RestoreTurns[]> {
  const { connection, sessions, repeats, brokerCpu, onProgress } = ground;
  const { name, ends } = contender;
  const task = { ...application, records: sessions, sessions, commitIntervalMs: COMMIT_INTERVAL_MS };
  const rows = ends.map((after) => ({ contender: name, after, turns: [] as RestoreTurn[] }));
  // Each session once: a changelog of one image per session, the least possible to read.
  const load = await PopulationLoad.open(connection, task.topic, { seed: POPULATION_SEED });
  await load.open(0, sessions);
  await load.close();
  onProgress(`${name}: filling`);
  await contender.fill(task);
  let former: Restarted['running'] | undefined;
  for (let repeat = 0; repeat < repeats; repeat += 1)
    for (const { after, turns } of rows) {
      onProgress(`${name}: after ${after}, ${repeat + 1} of ${repeats}`);
      await end(former, after, task);
      const before = brokerCpu.now();
      const { running, cost } = await contender.restart(task);
      const spent = brokerCpu.since(before);
      former = running;
      if (after === 'loss of its disk' && cost.entries < sessions)
        throw new Error(`${name} has read back ${cost.entries} of ${sessions} sessions`);
      turns.push({ ...cost, ...spent });
    }
  await former?.stop();
  return rows;
}

/** @param running undefined: it has stopped cleanly */
async function end(running: Restarted['running'] | undefined, how: EndBefore, task: ContenderTask): Promise<void> {
  const { brokers, topic, stateDir, sessions } = task;
  if (how === 'kill −9') {
    const load = { brokers, topic, seed: POPULATION_SEED, written: sessions, sessions };
    const beats = startBeats({ ...load, eventsPerSecond: BEATS_PER_SECOND });
    await delay(BEATS_MS);
    await running?.kill();
    beats.kill();
  } else await running?.stop();
  if (how === 'loss of its disk') rmSync(stateDir, { recursive: true, force: true });
  mkdirSync(stateDir, { recursive: true });
}
