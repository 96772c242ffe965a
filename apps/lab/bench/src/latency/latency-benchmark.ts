// From a session's deadline until a read_committed reader of the output sees its close: on a quiet pipeline, on one that is
// given a third of what it can take, and where sessions end all the time on a machine without rest.
import { type DurationMs, seededRandom } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type BenchCluster, onBenchCluster } from '../bench-cluster.ts';
import { BenchTopics } from '../bench-topics.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import { CloseWatch, type SeenClose } from '../failover/close-watch.ts';
import { PIPELINE } from '../failover/failover-scenario.ts';
import { loadSessions, type ProbePace, Probes } from '../failover/probes.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import type { StorePeer } from '../peers/store-peers.ts';
import type { ContenderTask } from '../throughput/contender-task.ts';
import { loadEvents } from '../throughput/event-load.ts';
import { sessionKeys } from '../throughput/session-keys.ts';
import { PACE_MS, type PacedProcess } from '../paced-process.ts';
import { startBeats } from './beats.ts';
import { occupyCores } from './occupied-cores.ts';
import { isProbe, latenessOf } from './lateness.ts';
import { type LatencyContender, latencyContenders } from './latency-contenders.ts';
import {
  BUSY_SHARE,
  COMMIT_INTERVAL_MS,
  ENDING_PER_SECOND,
  type LatencyTurn,
  type LatencySettings,
  LIVING_SEED,
} from './latency-scenario.ts';

type Surroundings = Pick<BenchmarkOptions, 'workDir' | 'onProgress'>;

interface Ground extends Surroundings, LatencySettings, BenchCluster {}

/** From the first close on, by when all is read that was there before: until code is compiled and caches are warm. */
const WARM_UP_MS: DurationMs = 8_000;
const FIRST_CLOSE_MS: DurationMs = 120_000;
const LOOK_MS: DurationMs = 100;
const MEASURED_MS: DurationMs = 20_000;
/** Between two probes of a quiet pipeline: at random, so that they meet every phase of whatever goes in rounds. */
const PAUSE_MIN_MS: DurationMs = 20;
const PAUSE_SPREAD_MS: DurationMs = 80;
/** The last probes close well within this, or are missing. */
const TAIL_MS: DurationMs = 6_000;
const SEED = 1;

export interface LatencyPeers {
  readonly kafkaStreams: PeerLookUp;
  readonly stores: readonly StorePeer[];
}

export interface LatencyMeasurement {
  readonly turns: readonly LatencyTurn[];
  /** Contenders that failed, and with what. */
  readonly failures: readonly string[];
}

/** @throws Error where a process of the project's own fails. */
export async function measureLatency(
  settings: LatencySettings,
  { kafkaStreams, stores }: LatencyPeers,
  surroundings: Surroundings,
): Promise<LatencyMeasurement> {
  const turns: LatencyTurn[] = [];
  const failures: string[] = [];
  await onBenchCluster(surroundings, async (cluster) => {
    const ground = { ...surroundings, ...settings, ...cluster };
    const full = `bench-capacity-${randomUUID()}`;
    await new BenchTopics(cluster.connection, settings.partitions).createInput(full);
    await loadEvents(cluster.connection, full, { ...settings, format: 'bare', seed: SEED }, () => undefined);
    const rates = new Map<LatencyContender, number>();
    for (const contender of latencyContenders(kafkaStreams, stores)) {
      const rate = await unlessPeer(contender, failures, () => busyRate(ground, full, contender));
      if (rate !== undefined) rates.set(contender, rate);
    }
    for (let repeat = 1; repeat <= settings.repeats; repeat += 1)
      for (const [contender, rate] of rates)
        for (const load of ['idle', 'busy', 'ending'] as const) {
          ground.onProgress(`${contender.name}: ${load}, ${repeat} of ${settings.repeats}`);
          const turn = await unlessPeer(contender, failures, () => measureCell(ground, contender, load, rate));
          if (turn !== undefined) turns.push(turn);
        }
  });
  return { turns, failures };
}

/** A failing peer does not cost the others' figures; a failure of the project's own ends the benchmark. */
async function unlessPeer<T>(
  { name, isPeer }: LatencyContender,
  failures: string[],
  measure: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await measure();
  } catch (error) {
    if (isPeer !== true) throw error;
    failures.push(`${name}: it failed: ${(error as Error).message.split('\n')[0]!}`);
    return undefined;
  }
}

/** What a contender is sent when it is busy, in events per second: a share of what it gets through, measured once. */
async function busyRate(ground: Ground, fullTopic: string, contender: LatencyContender): Promise<number> {
  ground.onProgress(`${contender.name}: capacity`);
  const { records, elapsedMs } = await withApplication(ground, fullTopic, (task) => contender.process(task));
  return (BUSY_SHARE * 1_000 * records) / elapsedMs;
}

async function measureCell(
  ground: Ground,
  contender: LatencyContender,
  load: LatencyTurn['load'],
  eventsPerSecond: number,
): Promise<LatencyTurn> {
  const { connection, partitions } = ground;
  const topic = `bench-latency-${randomUUID()}`;
  await new BenchTopics(connection, partitions).createInput(topic);
  return withApplication(ground, topic, async (task) => {
    if (load === 'busy') await loadSessions(connection, topic, sessionKeys(ground.sessions, LIVING_SEED));
    const running = await contender.start(task);
    let beats: PacedProcess | undefined;
    let release: (() => void) | undefined;
    try {
      const lateness = await watched(ground, task, running.closes, (closes) =>
        probe({ ...ground, topic }, load, closes, () => {
          running.beginCost?.();
          const { brokers, sessions } = ground;
          if (load === 'busy') beats = startBeats({ brokers, topic, sessions, eventsPerSecond });
          if (load === 'ending') release = occupyCores();
        }),
      );
      const loopDelay = (await running.cost?.())?.loopDelay;
      const eventsSent = load === 'ending' ? ENDING_PER_SECOND : ((await beats?.stop()) ?? 0);
      return { contender: contender.name, load, eventsPerSecond: eventsSent, ...lateness, loopDelay };
    } finally {
      beats?.kill();
      release?.();
      await running.end();
    }
  });
}

type Probed = Omit<LatencyTurn, 'contender' | 'load' | 'eventsPerSecond' | 'loopDelay'>;

type Closes = () => readonly SeenClose[];

/** Reads the output topic for as long as `measure` takes, where closes are not reported otherwise. */
async function watched<T>(
  { kafka, partitions }: Ground,
  { application }: ContenderTask,
  told: Closes | undefined,
  measure: (closes: Closes) => Promise<T>,
): Promise<T> {
  if (told !== undefined) return measure(told);
  const watch = new CloseWatch(kafka, `${application}.output`, partitions);
  try {
    return await measure(() => Array.from({ length: partitions }, (_, partition) => watch.of(partition)).flat());
  } finally {
    await watch.close();
  }
}

/** `onReady`: the contender has read what was there before, and closes. */
async function probe(
  { connection, brokerCpu, topic }: Pick<Ground, 'connection' | 'brokerCpu'> & Pick<ContenderTask, 'topic'>,
  load: LatencyTurn['load'],
  closes: Closes,
  onReady: () => void,
): Promise<Probed> {
  const probes = new Probes(connection, topic, paceOf(load));
  const giveUpAt = performance.now() + FIRST_CLOSE_MS;
  while (closes().length === 0 && performance.now() < giveUpAt) await delay(LOOK_MS);
  onReady();
  await delay(WARM_UP_MS);
  const from = systemClock.wallMs();
  const brokerBefore = brokerCpu.nowMs();
  await delay(MEASURED_MS);
  const to = systemClock.wallMs();
  const brokerAfter = brokerCpu.nowMs();
  await delay(TAIL_MS / 2);
  const sent = await probes.stop();
  await delay(TAIL_MS);
  const seen = new Set(
    closes()
      .map(({ sessionId }) => sessionId)
      .filter(isProbe),
  );
  const brokerMsPerSecond =
    brokerBefore === undefined || brokerAfter === undefined
      ? undefined
      : (1_000 * (brokerAfter - brokerBefore)) / (to - from);
  return { ...latenessOf(closes(), from, to), missing: sent - seen.size, brokerMsPerSecond };
}

/** undefined: one per partition, each so often. */
function paceOf(load: LatencyTurn['load']): ProbePace | undefined {
  if (load === 'busy') return undefined;
  return load === 'idle' ? quietPace() : endingPace();
}

/** All partitions in turn; what could not be sent in time is sent as soon as it can be. */
function endingPace(): ProbePace {
  const startedAtMs = performance.now();
  let sent = 0;
  return {
    pauseMs: () => PACE_MS,
    partitions: (count) => {
      const first = sent;
      sent = Math.floor(((performance.now() - startedAtMs) * ENDING_PER_SECOND) / 1_000);
      return Array.from({ length: sent - first }, (_, i) => (first + i) % count);
    },
  };
}

function quietPace(): ProbePace {
  const random = seededRandom(SEED);
  return {
    pauseMs: () => PAUSE_MIN_MS + random.below(PAUSE_SPREAD_MS),
    partitions: (count) => [random.below(count)],
  };
}

async function withApplication<T>(ground: Ground, topic: string, use: (task: ContenderTask) => Promise<T>): Promise<T> {
  const { brokers, connection, partitions, events, sessions, workDir } = ground;
  const application = `bench-${randomUUID()}`;
  const stateDir = join(workDir, application);
  mkdirSync(stateDir, { recursive: true });
  try {
    await new BenchTopics(connection, partitions).createFor(application, PIPELINE);
    return await use({
      brokers,
      topic,
      partitions,
      application,
      stateDir,
      records: events,
      sessions,
      commitIntervalMs: COMMIT_INTERVAL_MS,
    });
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}
