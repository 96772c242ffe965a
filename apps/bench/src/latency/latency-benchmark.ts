// From a session's deadline until a read_committed reader of the output sees its close: on a quiet pipeline, and on one that
// is given a third of what it can take.
import type { DurationMs } from '@flatline/base';
import { ensureBroker } from '@flatline/dev-broker';
import { type KafkaConnection, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/runtime';
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { BenchTopics } from '../bench-topics.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import { CloseWatch } from '../failover/close-watch.ts';
import { PIPELINE } from '../failover/failover-scenario.ts';
import { Probes } from '../failover/probes.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import type { ContenderTask } from '../throughput/contender-task.ts';
import { loadEvents } from '../throughput/event-load.ts';
import { type Beats, startBeats } from './beats.ts';
import { isProbe, latenessOf } from './lateness.ts';
import { type LatencyContender, latencyContenders } from './latency-contenders.ts';
import { BUSY_SHARE, type LatencyFigures, type LatencySettings } from './latency-scenario.ts';

type Surroundings = Pick<BenchmarkOptions, 'workDir' | 'onProgress'>;

interface Ground extends Surroundings, LatencySettings {
  readonly brokers: readonly string[];
  readonly connection: KafkaConnection;
}

/** Until code is compiled and caches are warm. */
const WARM_UP_MS: DurationMs = 8_000;
const MEASURED_MS: DurationMs = 15_000;
/** The last probes close well within this, or are missing. */
const TAIL_MS: DurationMs = 6_000;
/** The default of both. */
const COMMIT_INTERVAL_MS: DurationMs = 100;
const SEED = 1;

/** @throws Error where a process fails. */
export async function measureLatency(
  settings: LatencySettings,
  kafkaStreams: PeerLookUp,
  surroundings: Surroundings,
): Promise<readonly LatencyFigures[]> {
  const broker = await ensureBroker({ ephemeral: true, log: surroundings.onProgress });
  const brokers = broker.bootstrap.split(',');
  const connection = openCluster({ brokers, clientId: 'flatline-bench', clock: systemClock });
  const ground = { ...surroundings, ...settings, brokers, connection };
  const figures: LatencyFigures[] = [];
  try {
    const full = `bench-capacity-${randomUUID()}`;
    await new BenchTopics(connection, settings.partitions).createInput(full);
    await loadEvents(connection, full, { ...settings, format: 'bare', seed: SEED }, () => undefined);
    for (const contender of latencyContenders(kafkaStreams)) {
      surroundings.onProgress(`${contender.name}: capacity`);
      const capacity = await withApplication(ground, full, (task) => contender.process(task));
      const eventsPerSecond = (BUSY_SHARE * 1_000 * capacity.records) / capacity.elapsedMs;
      for (const load of ['idle', 'busy'] as const) {
        surroundings.onProgress(`${contender.name}: ${load}`);
        figures.push(await measureCell(ground, contender, load, eventsPerSecond));
      }
    }
  } finally {
    connection.close();
    await broker.stop();
  }
  return figures;
}

async function measureCell(
  ground: Ground,
  contender: LatencyContender,
  load: LatencyFigures['load'],
  eventsPerSecond: number,
): Promise<LatencyFigures> {
  const { connection, partitions } = ground;
  const topic = `bench-latency-${randomUUID()}`;
  await new BenchTopics(connection, partitions).createInput(topic);
  return withApplication(ground, topic, async (task) => {
    const running = await contender.start(task);
    const beats = load === 'busy' ? startLiving(ground, topic, eventsPerSecond) : undefined;
    try {
      const lateness = await probe(ground, task);
      return { contender: contender.name, load, eventsPerSecond: (await beats?.stop()) ?? 0, ...lateness };
    } finally {
      beats?.kill();
      await running.end();
    }
  });
}

type Probed = Omit<LatencyFigures, 'contender' | 'load' | 'eventsPerSecond'>;

async function probe({ brokers, connection, partitions }: Ground, task: ContenderTask): Promise<Probed> {
  const kafka = { brokers, clientId: 'flatline-bench', clock: systemClock };
  const watch = new CloseWatch(kafka, `${task.application}.output`, partitions);
  try {
    const probes = new Probes(connection, task.topic);
    await delay(WARM_UP_MS);
    const from = systemClock.wallMs();
    await delay(MEASURED_MS);
    const to = systemClock.wallMs();
    await delay(TAIL_MS / 2);
    const sent = (await probes.stop()) * partitions;
    await delay(TAIL_MS);
    const closes = Array.from({ length: partitions }, (_, partition) => watch.of(partition)).flat();
    const seen = new Set(closes.map(({ sessionId }) => sessionId).filter(isProbe));
    return { ...latenessOf(closes, from, to), missing: sent - seen.size };
  } finally {
    await watch.close();
  }
}

function startLiving({ brokers, sessions }: Ground, topic: string, eventsPerSecond: number): Beats {
  // Each session beats at least twice a second, or it would end.
  const living = Math.max(1, Math.min(sessions, Math.floor(eventsPerSecond / 2)));
  return startBeats({ brokers, topic, sessions: living, eventsPerSecond });
}

async function withApplication<T>(ground: Ground, topic: string, use: (task: ContenderTask) => Promise<T>): Promise<T> {
  const { brokers, connection, partitions, events, workDir } = ground;
  const application = `bench-${randomUUID()}`;
  const stateDir = join(workDir, application);
  mkdirSync(stateDir, { recursive: true });
  try {
    await new BenchTopics(connection, partitions).createFor(application, PIPELINE);
    return await use({
      ...{ brokers, topic, partitions, application, stateDir },
      ...{ records: events, commitIntervalMs: COMMIT_INTERVAL_MS },
    });
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
}
