// Very many sessions that fall silent at once, while others live on: how fast the closes come out, and how late the others'
// heartbeats take effect meanwhile. Each contender has an input of its own, for its sessions must fall due while it runs.
import type { DurationMs } from '@flatline/base';
import { BatchProducer } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { type Application, withApplication } from '../frame/application.ts';
import type { Ground } from '../frame/frame.ts';
import { takeTurns } from '../frame/turns.ts';
import { type InputDelay, inputDelayOf, InputWatch } from '../input-delay.ts';
import { startBeats } from '../latency/beats.ts';
import type { LoopDelay } from '../loop-delay.ts';
import { CloseCount } from './close-count.ts';
import { type RunningContender, STREAMS_COMMIT_INTERVAL_MS, type StormContender } from './storm-contenders.ts';
import { stormKey } from './storm-keys.ts';

interface StormSettings {
  /** That fall silent together. */
  readonly sessions: number;
  readonly partitions: number;
  /** Number of other sessions, which live on. */
  readonly livingSessions: number;
  readonly heartbeatsPerSecond: number;
  /** Long enough for every contender to have read all before the first is due. */
  readonly timeoutMs: DurationMs;
  /** Turns of each contender. */
  readonly repeats: number;
}

/** One turn. */
export interface StormTurn {
  readonly contender: string;
  /** What ended it before all were closed. */
  readonly failure: string | undefined;
  /** Sessions seen closed, each counted once. */
  readonly closes: number;
  readonly closedTwice: number;
  /** Closes of sessions that live on: must be none. */
  readonly closedAlive: number;
  /** From the first session's deadline to the last one's. */
  readonly dueWithinMs: DurationMs;
  /** From the first deadline until a read_committed reader has seen the last close. */
  readonly drainMs: DurationMs;
  /** CPU time of the contender's process over the drain, all threads; undefined where the system does not tell. */
  readonly cpuMs: DurationMs | undefined;
  /** CPU time of the broker's processes over the drain; undefined where they are not ours to see. */
  readonly brokerCpuMs: DurationMs | undefined;
  /** Over the drain. */
  readonly inputDelay: InputDelay;
  /** Undefined where the contender does not run on Node. */
  readonly loopDelay: LoopDelay | undefined;
}

type StormGround = Ground<StormSettings>;

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
  ground: StormGround,
  contenders: readonly StormContender[],
): Promise<{ readonly turns: readonly StormTurn[] }> {
  const cells = contenders.map((contender) => ({
    name: contender.name,
    take: () => withApplication(ground, (application) => weather(ground, contender, application)),
  }));
  return { turns: (await takeTurns(cells, ground)).turns.flat() };
}

async function weather(ground: StormGround, contender: StormContender, application: Application): Promise<StormTurn> {
  const { brokers, sessions, livingSessions, heartbeatsPerSecond, timeoutMs } = ground;
  const { topic } = application;
  const beats = startBeats({ brokers, topic, sessions: livingSessions, eventsPerSecond: heartbeatsPerSecond });
  let running: RunningContender | undefined;
  try {
    const firstBeatAt = systemClock.wallMs();
    await loadStorm(ground, topic);
    const size = { records: sessions, sessions: sessions + livingSessions };
    const task = { ...application, ...size, commitIntervalMs: STREAMS_COMMIT_INTERVAL_MS };
    running = await contender.start(task, timeoutMs);
    return await measureDrain(ground, contender, { ...application, running, dueAt: firstBeatAt + timeoutMs });
  } finally {
    beats.kill();
    // The figures already say how it ended.
    await running?.end().catch(() => undefined);
  }
}

/** One heartbeat of each session, as fast as the broker takes them. */
async function loadStorm({ connection, sessions }: StormGround, topic: string): Promise<void> {
  const keys = Array.from({ length: sessions }, (_, session) => stormKey(session));
  const producer = await BatchProducer.open({ clock: systemClock, connection, topic });
  for (const [session, key] of keys.entries()) {
    const room = producer.add({ partition: session % producer.partitionCount, key, value: NO_VALUE });
    if (room !== undefined) await room;
    if ((session + 1) % ADDED_MAX === 0) await new Promise(setImmediate);
  }
  await producer.close();
}

interface Started extends Application {
  readonly running: RunningContender;
  /** Before the first deadline. */
  readonly dueAt: number;
}

async function measureDrain(
  { kafka, connection, brokerCpu, partitions, sessions }: StormGround,
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
    const brokerCpuMs = brokerCpu.sinceMs(brokerBefore);
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
      brokerCpuMs,
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
