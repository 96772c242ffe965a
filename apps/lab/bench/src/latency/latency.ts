// From a session's deadline until a read_committed reader of the output sees its close: on a quiet pipeline, on one at
// a third of its capacity, and where sessions end all the time on a machine without rest.
import { type DurationMs, seededRandom } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { type LoadProcess, startLoad } from '../apart.ts';
import { startBeats } from '../beats.ts';
import { CloseWatch, type SeenClose } from '../close-watch.ts';
import { createInput, withApplication } from '../frame/application.ts';
import { type Application } from '../tasks/application.ts';
import { framed, type Ground, over } from '../frame/frame.ts';
import { failureText, takeTurns } from '../frame/turns.ts';
import { loadSessions, type ProbePace, Probes } from '../probes.ts';
import { PACE_MS } from '../sending-beats.ts';
import { short } from '../text-table.ts';
import type { ContenderTask } from '../tasks/contender-task.ts';
import { loadEvents } from '../throughput/event-load.ts';
import {
  BUSY_SHARE,
  COMMIT_INTERVAL_MS,
  ENDING_PER_SECOND,
  isProbe,
  LATENCY_PAGE,
  latencyRows,
  type LatencyTurn,
  latenessOf,
  type Load,
  LOADS,
} from './latency-page.ts';
import { type LatencyContender, latencyLineUp } from './latency-contenders.ts';

/** Events: for measuring a contender's capacity. Sessions: alive under load, beside the probes. */
const DEFAULTS = { events: 3_000_000, sessions: 1_000_000, partitions: 4, repeats: 3 };
/** Seed of their keys. */
const LIVING_SEED = 3;

type LatencyGround = Ground<typeof DEFAULTS>;

/** From the first close on, when the older input has been read: until code is compiled and caches are warm. */
const WARM_UP_MS: DurationMs = 8_000;
const FIRST_CLOSE_MS: DurationMs = 120_000;
const LOOK_MS: DurationMs = 100;
const MEASURED_MS: DurationMs = 20_000;
/** Between two probes of a quiet pipeline: random, so that they meet every phase of anything periodic. */
const PAUSE_MIN_MS: DurationMs = 20;
const PAUSE_SPREAD_MS: DurationMs = 80;
/** The last probes close well within this, or are missing. */
const TAIL_MS: DurationMs = 6_000;
const SEED = 1;

export const latency = framed({
  name: 'latency',
  description:
    'from a deadline until its close is seen, idle and under load, beside the punctuator of Kafka Streams, Redis, BullMQ and PostgreSQL',
  settings: (options) => over(DEFAULTS, options),
  lineUp: latencyLineUp,
  conditions: ({ partitions, sessions }) =>
    `${partitions} partitions, ${short(sessions)} sessions; who commits when is said below`,
  measure: measureLatency,
  report: ({ turns }) => ({ rows: latencyRows(turns), page: LATENCY_PAGE }),
});

interface LatencyMeasurement {
  readonly turns: readonly LatencyTurn[];
  /** Failures of peers, with the error. */
  readonly failures: readonly string[];
}

/** @throws Error if a process of the project's own fails. */
async function measureLatency(
  ground: LatencyGround,
  contenders: readonly LatencyContender[],
): Promise<LatencyMeasurement> {
  const full = `bench-capacity-${randomUUID()}`;
  await createInput(ground, full);
  await loadEvents(ground.connection, full, { ...ground, format: 'bare', seed: SEED });
  const rates = new Map<LatencyContender, number>();
  const failed: string[] = [];
  for (const contender of contenders)
    try {
      rates.set(contender, await busyRate(ground, full, contender));
    } catch (error) {
      if (contender.isPeer !== true) throw error;
      failed.push(failureText(contender.name, error));
    }
  const cells = [...rates].flatMap(([contender, rate]) =>
    LOADS.map((load) => ({
      name: `${contender.name}: ${load}`,
      isPeer: contender.isPeer,
      take: () => withApplication(ground, (application) => measureCell(ground, contender, { application, load, rate })),
    })),
  );
  const { turns, failures } = await takeTurns(cells, ground);
  return { turns: turns.flat(), failures: [...failed, ...failures] };
}

/** The load of a busy contender, in events per second: a share of its capacity, measured once. */
async function busyRate(ground: LatencyGround, fullTopic: string, contender: LatencyContender): Promise<number> {
  ground.onProgress(`${contender.name}: capacity`);
  const { records, elapsedMs } = await withApplication(ground, (application) =>
    contender.process({ ...taskOf(ground, application), topic: fullTopic }),
  );
  return (BUSY_SHARE * 1_000 * records) / elapsedMs;
}

interface LatencyCell {
  readonly application: Application;
  readonly load: Load;
  /** Events per second under load. */
  readonly rate: number;
}

async function measureCell(
  ground: LatencyGround,
  contender: LatencyContender,
  { application, load, rate: eventsPerSecond }: LatencyCell,
): Promise<LatencyTurn> {
  const { brokers, connection, sessions } = ground;
  const { topic } = application;
  const living = { sessions, seed: LIVING_SEED };
  if (load === 'busy') await loadSessions(connection, topic, living);
  const running = await contender.start(application, taskOf(ground, application));
  let beats: LoadProcess | undefined;
  let others: readonly LoadProcess[] = [];
  try {
    const lateness = await watched(ground, application, running.closes, (closes) =>
      probe(ground, topic, load, closes, () => {
        running.beginCost?.();
        if (load === 'busy') beats = startBeats({ brokers, topic, ...living, eventsPerSecond });
        if (load === 'ending') others = Array.from({ length: availableParallelism() }, () => startLoad('occupy'));
      }),
    );
    const loopDelay = (await running.cost?.())?.loopDelay;
    const eventsSent = load === 'ending' ? ENDING_PER_SECOND : ((await beats?.stop()) ?? 0);
    return { contender: contender.name, load, eventsPerSecond: eventsSent, ...lateness, loopDelay };
  } finally {
    beats?.kill();
    for (const each of others) each.kill();
    await running.stop();
  }
}

function taskOf({ events, sessions }: LatencyGround, application: Application): ContenderTask {
  return { ...application, records: events, sessions, commitIntervalMs: COMMIT_INTERVAL_MS };
}

type Probed = Omit<LatencyTurn, 'contender' | 'load' | 'eventsPerSecond' | 'loopDelay'>;

type Closes = () => readonly SeenClose[];

/** Reads the output topic while `measure` runs, unless closes are reported otherwise. */
async function watched<T>(
  { kafka, partitions }: LatencyGround,
  { application }: Application,
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

/** `onReady`: the contender has read the older input, and closes sessions. */
async function probe(
  { connection, brokerCpu }: LatencyGround,
  topic: string,
  load: Load,
  closes: Closes,
  onReady: () => void,
): Promise<Probed> {
  const probes = new Probes(connection, topic, paceOf(load));
  const giveUpAt = performance.now() + FIRST_CLOSE_MS;
  while (closes().length === 0 && performance.now() < giveUpAt) await delay(LOOK_MS);
  onReady();
  await delay(WARM_UP_MS);
  const from = systemClock.wallMs();
  const brokerBefore = brokerCpu.now();
  await delay(MEASURED_MS);
  const to = systemClock.wallMs();
  const { brokerCpuMs: brokerMs } = brokerCpu.since(brokerBefore);
  await delay(TAIL_MS / 2);
  const sent = await probes.stop();
  await delay(TAIL_MS);
  const seen = new Set(
    closes()
      .map(({ sessionId }) => sessionId)
      .filter(isProbe),
  );
  const brokerMsPerSecond = brokerMs === undefined ? undefined : (1_000 * brokerMs) / (to - from);
  return { ...latenessOf(closes(), from, to), missing: sent - seen.size, brokerMsPerSecond };
}

/** undefined: one per partition at the default interval. */
function paceOf(load: Load): ProbePace | undefined {
  if (load === 'busy') return undefined;
  return load === 'idle' ? quietPace() : endingPace();
}

/** All partitions in turn; late probes are sent as soon as possible. */
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
