// The cost of pending schedules: each a message of a kilobyte, due in a year. Memory and log per schedule, and how fast an
// instance runs again with all of them.
import type { DurationMs } from '@flatline/base';
import { BatchProducer } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { withApplication } from '../frame/application.ts';
import { type Application } from '../tasks/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { POPULATION_SEED } from '../population/population-ground.ts';
import { KEY_BYTES, writeSessionKey } from '../session-key.ts';
import { Instance } from '../processor/instance.ts';
import type { InstanceTask } from '../tasks/instance-task.ts';
import type { EndBefore } from '../restore/restore-page.ts';
import { short } from '../text-table.ts';
import { type PendingCost, schedulesPage, schedulesRows, type ScheduleRestart } from './schedules-page.ts';

const DEFAULTS = { sessions: 1_000_000, partitions: 4 };
const VALUE_BYTES = 1_024;
const COMMIT_INTERVAL_MS: DurationMs = 200;
const YEAR_MS: DurationMs = 31_536_000_000;
/** Longest time for which a commit may be missing from a local store (flushIntervalMs). */
const FLUSH_MS: DurationMs = 61_000;
const LOOK_MS: DurationMs = 200;
const STALLED_MS: DurationMs = 90_000;
/** Records added before the event loop, and so the sockets, get their turn. */
const ADDED_MAX = 2_000;
const ENDS: readonly EndBefore[] = ['clean stop', 'kill −9', 'loss of its disk'];

type SchedulesGround = Ground<typeof DEFAULTS>;

interface Measured {
  readonly pending: PendingCost;
  readonly restarts: readonly ScheduleRestart[];
}

export const schedules = framed({
  name: 'schedules',
  description: 'memory, log and restart with a million pending messages of 1 KB, due in a year',
  settings: (options) => over(DEFAULTS, options),
  conditions: ({ sessions, partitions }) =>
    `${short(sessions)} schedules of ${VALUE_BYTES} bytes with keys of ${KEY_BYTES}, ${partitions} partitions`,
  measure: (ground: SchedulesGround) => withApplication(ground, (application) => measureSchedules(ground, application)),
  report: ({ pending, restarts }) => ({ rows: schedulesRows(restarts), page: schedulesPage(pending) }),
});

/** @throws Error if a processor fails or stalls, or a schedule does not come back. */
async function measureSchedules(ground: SchedulesGround, application: Application): Promise<Measured> {
  const { sessions, onProgress } = ground;
  const task: InstanceTask = {
    ...application,
    section: { kind: 'schedule' },
    commitIntervalMs: COMMIT_INTERVAL_MS,
  };
  let running = await Instance.alone(task);
  try {
    const pending = await measurePending(ground, running, application.topic);
    const restarts: ScheduleRestart[] = [];
    for (const after of ENDS) {
      onProgress(`after ${after}`);
      await end(running, after, task.stateDir);
      running = new Instance({ ...task, isTimed: true });
      const { liveSessions, restoreMs, elapsedMs, cpuMs } = await running.ask({ kind: 'running' });
      if (liveSessions < sessions) throw new Error(`${liveSessions} of ${sessions} schedules have come back`);
      restarts.push({ after, entries: liveSessions, restoreMs, untilRunningMs: elapsedMs, cpuMs });
    }
    return { pending, restarts };
  } finally {
    await running.kill();
  }
}

async function measurePending(
  { connection, sessions, onProgress }: SchedulesGround,
  running: Instance,
  topic: string,
): Promise<PendingCost> {
  const half = Math.ceil(sessions / 2);
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  onProgress('half of them');
  await write(producer, 0, half);
  await held(running, half);
  await delay(FLUSH_MS);
  const first = await running.look();
  onProgress('all of them');
  running.beginCost();
  await write(producer, half, sessions);
  await producer.close();
  await held(running, sessions);
  const { cpuMs } = await running.cost();
  await delay(FLUSH_MS);
  const all = await running.look();
  const partitions = await running.assigned();
  const sum = (of: 'changelogBytes' | 'liveBytes'): number =>
    partitions.reduce((total, each) => total + (each[of] ?? 0), 0);
  const logBytes = { changelogBytes: sum('changelogBytes'), liveBytes: sum('liveBytes') };
  return { schedules: sessions, valueBytes: VALUE_BYTES, half: first, all, cpuMs, ...logBytes };
}

/** Each due in a year, a millisecond after the one before. */
async function write(producer: BatchProducer, from: number, to: number): Promise<void> {
  const key = new Uint8Array(KEY_BYTES);
  const value = new Uint8Array(VALUE_BYTES).fill(0x20);
  const dueFrom = systemClock.wallMs() + YEAR_MS;
  for (let i = from; i < to; i += 1) {
    writeSessionKey(i, POPULATION_SEED, key);
    const headers = [{ name: 'flatline-due-at', value: Buffer.from(String(dueFrom + i)) }];
    const room = producer.add({ partition: i % producer.partitionCount, key, value, headers });
    if (room !== undefined) await room;
    else if (i % ADDED_MAX === 0) await new Promise(setImmediate);
  }
  await producer.flush();
}

/** Waits until all of them are live there, and committed. */
async function held(running: Instance, schedules: number): Promise<void> {
  let [before, movedAt] = ['', systemClock.monotonicMs()];
  for (;;) {
    const partitions = await running.assigned();
    const live = partitions.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
    if (live >= schedules && partitions.every((each) => each.position === each.committedPosition)) return;
    const now = partitions.map((each) => `${each.liveEntries} ${each.committedPosition}`).join();
    if (now !== before) movedAt = systemClock.monotonicMs();
    before = now;
    if (systemClock.monotonicMs() - movedAt > STALLED_MS) throw new Error(`the processor has stalled: ${now}`);
    await Promise.race([delay(LOOK_MS), running.ended]);
  }
}

async function end(running: Instance, how: EndBefore, stateDir: string): Promise<void> {
  if (how === 'kill −9') await running.kill();
  else await running.stop();
  if (how === 'loss of its disk') rmSync(stateDir, { recursive: true, force: true });
  mkdirSync(stateDir, { recursive: true });
}
