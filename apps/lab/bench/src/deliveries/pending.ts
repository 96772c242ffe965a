// Costs of deliveries that wait for their next attempt: bytes in memory, in the local store and in the log, and the time from the
// start of a process that has all of them until its next attempt.
//
// They are written as a courier leaves them after an attempt that failed (docs/FORMATS.md), each due in a day.
import type { DurationMs, Millis } from '@flatline/base';
import { BatchProducer } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { BytesLook } from '../assembled/assembled-page.ts';
import { looked } from '../assembled/session-bytes.ts';
import type { Ground } from '../frame/frame.ts';
import { Instance } from '../processor/instance.ts';
import type { EndBefore } from '../restore/restore-page.ts';
import { summaryOf, writeSummaries } from '../summaries.ts';
import { type Notifying, openNotifying } from './notifying.ts';
import { Sink } from './sink.ts';

export interface PendingRestart {
  readonly after: EndBefore;
  /** From the start of the process until the sink has its next request. */
  readonly untilAttemptMs: DurationMs;
  readonly peakRssBytes: number;
}

export interface PendingMeasured {
  readonly half: BytesLook;
  readonly all: BytesLook;
  /** A delivery's body, as it goes out. */
  readonly bodyBytes: number;
  readonly restarts: readonly PendingRestart[];
}

const DAY_MS: DurationMs = 86_400_000;
/** Longest time for which a commit may be missing from a local store (flushIntervalMs). */
const FLUSHED_MS: DurationMs = 66_000;
const LOOK_MS: DurationMs = 200;
/** Records added before the event loop, and so the sockets, get their turn. */
const ADDED_MAX = 2_000;
const ENDS: readonly EndBefore[] = ['clean stop', 'kill −9', 'loss of its disk'];

/** @throws Error if a process fails, or what waited is not there again */
export async function measurePending(
  ground: Ground<{ readonly sessions: number; readonly partitions: number }>,
): Promise<PendingMeasured> {
  const { connection, sessions, onProgress } = ground;
  const sink = await Sink.open();
  const notifying = await openNotifying(ground, sink.url, {});
  const { task, outputs } = notifying;
  let running = await Instance.alone(task);
  try {
    const half = Math.ceil(sessions / 2);
    onProgress('half of what waits');
    const first = await filled(ground, { notifying, running, from: 0, to: half });
    onProgress('all of what waits');
    const all = await filled(ground, { notifying, running, from: half, to: sessions });
    const restarts: PendingRestart[] = [];
    for (const [i, after] of ENDS.entries()) {
      onProgress(`after ${after}`);
      await end(running, after, task.stateDir);
      const before = await sink.taken();
      await writeSummaries(connection, { topic: outputs, count: 1, from: sessions + i });
      const startedAtMs = performance.now();
      running = new Instance(task);
      await sink.until(before + 1, running.ended);
      const untilAttemptMs = performance.now() - startedAtMs;
      const { peakRssBytes } = await running.look();
      await waiting(running, sessions);
      restarts.push({ after, untilAttemptMs, peakRssBytes });
    }
    return { half: first, all, bodyBytes: bodyOf(0, systemClock.wallMs()).length, restarts };
  } finally {
    await running.kill();
    rmSync(task.stateDir, { recursive: true, force: true });
    sink.close();
  }
}

interface Filling {
  readonly notifying: Notifying;
  readonly running: Instance;
  readonly from: number;
  readonly to: number;
}

async function filled(
  { connection }: Ground,
  { notifying: { task, deliveries }, running, from, to }: Filling,
): Promise<BytesLook> {
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic: deliveries });
  const now = systemClock.wallMs();
  for (let number = from; number < to; number += 1) {
    const partition = number % producer.partitionCount;
    const room = producer.add({ partition, ...keptOf(number, partition, task.application, now) });
    if (room !== undefined) await room;
    else if (number % ADDED_MAX === 0) await new Promise(setImmediate);
  }
  await producer.close();
  await waiting(running, to);
  await delay(FLUSHED_MS);
  return looked({ application: task, instance: running });
}

/** Waits until so many are kept, and committed. */
async function waiting(running: Instance, deliveries: number): Promise<void> {
  for (;;) {
    const partitions = await running.assigned();
    const kept = partitions.reduce((sum, { liveEntries }) => sum + liveEntries, 0);
    if (kept === deliveries && partitions.every((each) => each.position === each.committedPosition)) return;
    await Promise.race([delay(LOOK_MS), running.ended]);
  }
}

/** The record of a delivery that has failed once. */
function keptOf(number: number, partition: number, application: string, now: Millis) {
  const id = `${application}:${partition}-${number}:0`;
  const attempt = { at: now, ms: 12, status: 503, answer: 'Service Unavailable' };
  const delivery = {
    endpoint: 'sink',
    id,
    key: Buffer.from(`session-${number}`).toString('base64'),
    order: 2 * number,
    type: 'session.closed',
    attempts: [attempt],
    phase: 'waiting',
  };
  return {
    key: Buffer.from(`sink/${id}`),
    value: bodyOf(number, now),
    headers: [
      { name: 'flatline-delay-ms', value: Buffer.from(String(DAY_MS + number)) },
      { name: 'delivery', value: Buffer.from(JSON.stringify(delivery)) },
      { name: 'application', value: Buffer.from(application) },
    ],
  };
}

function bodyOf(number: number, now: Millis): Buffer {
  const timestamp = new Date(now).toISOString();
  const data = JSON.stringify(summaryOf(number, 0));
  return Buffer.from(`{"type":"session.closed","timestamp":"${timestamp}","data":${data}}`);
}

async function end(running: Instance, how: EndBefore, stateDir: string): Promise<void> {
  if (how === 'kill −9') await running.kill();
  else await running.stop();
  if (how === 'loss of its disk') rmSync(stateDir, { recursive: true, force: true });
  mkdirSync(stateDir, { recursive: true });
}
