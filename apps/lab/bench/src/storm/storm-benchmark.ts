// Very many sessions that fall silent at once, while others live on: how fast the closes come out, and how late the others'
// heartbeats take effect meanwhile. Each contender has an input of its own, for its sessions must fall due while it runs.
import type { DurationMs } from '@flatline/base';
import { BatchProducer } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchCluster, onBenchCluster } from '../bench-cluster.ts';
import { BenchTopics } from '../bench-topics.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import { PIPELINE } from '../failover/failover-scenario.ts';
import { inputDelayOf, InputWatch } from '../input-delay.ts';
import { startBeats } from '../latency/beats.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import { CloseCount } from './close-count.ts';
import {
  type RunningContender,
  STREAMS_COMMIT_INTERVAL_MS,
  type StormContender,
  stormContenders,
} from './storm-contenders.ts';
import { stormKey } from './storm-keys.ts';
import type { StormTurn, StormSettings } from './storm-scenario.ts';

type Surroundings = Pick<BenchmarkOptions, 'workDir' | 'onProgress'>;

interface Ground extends Surroundings, StormSettings, BenchCluster {}

/** Cost and delays are measured from so long before the first deadline. */
const LEAD_MS: DurationMs = 1_000;
/** A contender that has not closed all by then is measured by what it has closed. */
const DRAIN_MAX_MS: DurationMs = 180_000;
const LOOK_MS: DurationMs = 20;
/** After the last close, so that one too many would be seen. */
const TAIL_MS: DurationMs = 1_000;
const ADDED_MAX = 20_000;
const NO_VALUE = new Uint8Array(0);

export async function measureStorm(
  settings: StormSettings,
  kafkaStreams: PeerLookUp,
  surroundings: Surroundings,
): Promise<readonly StormTurn[]> {
  const turns: StormTurn[] = [];
  await onBenchCluster(surroundings, async (cluster) => {
    for (let repeat = 1; repeat <= settings.repeats; repeat += 1)
      for (const contender of stormContenders(kafkaStreams)) {
        surroundings.onProgress(`${contender.name}, ${repeat} of ${settings.repeats}`);
        turns.push(await weather({ ...surroundings, ...settings, ...cluster }, contender));
      }
  });
  return turns;
}

async function weather(ground: Ground, contender: StormContender): Promise<StormTurn> {
  const { brokers, connection, partitions, workDir, sessions, livingSessions, heartbeatsPerSecond } = ground;
  const application = `bench-${randomUUID()}`;
  const topic = `${application}.input`;
  const stateDir = join(workDir, application);
  mkdirSync(stateDir, { recursive: true });
  const topics = new BenchTopics(connection, partitions);
  await topics.createInput(topic);
  await topics.createFor(application, PIPELINE);
  const task = { brokers, topic, partitions, application, stateDir };
  const beats = startBeats({ brokers, topic, sessions: livingSessions, eventsPerSecond: heartbeatsPerSecond });
  let running: RunningContender | undefined;
  try {
    const firstBeatAt = systemClock.wallMs();
    await loadStorm(ground, topic);
    running = await contender.start(
      { ...task, records: sessions, sessions: sessions + livingSessions, commitIntervalMs: STREAMS_COMMIT_INTERVAL_MS },
      ground.timeoutMs,
    );
    return await measureDrain(ground, contender, {
      running,
      application,
      topic,
      dueAt: firstBeatAt + ground.timeoutMs,
    });
  } finally {
    beats.kill();
    // What it has to say of its end is said in the figures.
    await running?.end().catch(() => undefined);
    rmSync(stateDir, { recursive: true, force: true });
  }
}

/** One heartbeat of each session, as fast as the broker takes them. */
async function loadStorm({ connection, sessions }: Ground, topic: string): Promise<void> {
  const keys = Array.from({ length: sessions }, (_, session) => stormKey(session));
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  for (const [session, key] of keys.entries()) {
    const room = producer.add({ partition: session % producer.partitionCount, key, value: NO_VALUE });
    if (room !== undefined) await room;
    if ((session + 1) % ADDED_MAX === 0) await new Promise(setImmediate);
  }
  await producer.close();
}

interface Started {
  readonly running: RunningContender;
  readonly application: string;
  readonly topic: string;
  /** Before the first deadline. */
  readonly dueAt: number;
}

async function measureDrain(
  { kafka, connection, brokerCpu, partitions, sessions }: Ground,
  contender: StormContender,
  { running, application, topic, dueAt }: Started,
): Promise<StormTurn> {
  const count = new CloseCount(kafka, `${application}.output`, partitions, sessions);
  const input = new InputWatch(connection, { topic, partitions, group: contender.groupOf(application) });
  try {
    await delay(Math.max(0, dueAt - LEAD_MS - systemClock.wallMs()));
    running.beginCost();
    const fromMs = performance.now();
    const brokerBefore = brokerCpu.nowMs();
    const failure = await drained(count, sessions, running, dueAt + DRAIN_MAX_MS);
    const toMs = performance.now();
    const brokerAfter = brokerCpu.nowMs();
    const cost = failure === undefined ? await running.cost() : { cpuMs: undefined, loopDelay: undefined };
    await delay(TAIL_MS);
    return {
      contender: contender.name,
      failure,
      closes: count.closes,
      closedTwice: count.closedTwice,
      closedAlive: count.closedAlive,
      dueWithinMs: count.lastDeadlineAt - count.firstDeadlineAt,
      drainMs: count.lastSeenAt - count.firstDeadlineAt,
      ...cost,
      brokerCpuMs: brokerBefore === undefined || brokerAfter === undefined ? undefined : brokerAfter - brokerBefore,
      inputDelay: inputDelayOf(await input.stop(), fromMs, toMs),
    };
  } finally {
    await input.stop();
    await count.close();
  }
}

/** Waits until all are closed. Returns what came before that, if anything did. */
async function drained(
  count: CloseCount,
  sessions: number,
  { ended }: RunningContender,
  until: number,
): Promise<string | undefined> {
  let died: string | undefined;
  ended.catch((error: unknown) => {
    died = error instanceof Error ? error.message : String(error);
  });
  while (count.closes < sessions) {
    if (count.failure !== undefined) throw count.failure;
    if (died !== undefined) return died;
    if (systemClock.wallMs() > until) return `stopped after ${DRAIN_MAX_MS / 1_000} s`;
    await delay(LOOK_MS);
  }
  return undefined;
}
