// Commit latency and throughput of transactional producers, side by side in one measurement.
import { type DurationMs } from '@flatline/base';
import { KafkaLogAdmin, KafkaTopicAdmin } from '@flatline/kafka';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { framed, type Ground, over } from '../frame/frame.ts';
import { chart, type Page } from '../frame/page.ts';
import { takeTurns } from '../frame/turns.ts';
import { quantilesOf } from '../statistics.ts';
import { short } from '../text-table.ts';
import {
  type CandidateWriter,
  type CommitCandidate,
  type CommitWorkload,
  flatlineCandidate,
} from './commit-candidate.ts';
import { kafkajsCandidate } from './kafkajs-candidate.ts';

interface CommitSettings {
  readonly workloads: readonly CommitWorkload[];
  /** Numbers of writers that commit at the same time, each to separate partitions. */
  readonly writerCounts: readonly number[];
  /** Between two commits of one writer; 0: without a pause. */
  readonly pausesMs: readonly DurationMs[];
  readonly commitsPerWriter: number;
  /** Turns of each candidate. */
  readonly repeats: number;
  readonly connectionCounts: readonly number[];
}

interface CommitMeasurement {
  readonly candidate: string;
  readonly workload: string;
  readonly writers: number;
  readonly pauseMs: DurationMs;
  readonly commits: number;
  readonly p50Ms: DurationMs;
  readonly p99Ms: DurationMs;
  readonly commitsPerSecond: number;
  readonly recordsPerSecond: number;
  /** CPU time of this process, without the broker. */
  readonly cpuMsPerCommit: DurationMs;
}

/** A block of a busy commit and one closed session. */
const BUSY: CommitWorkload = {
  name: 'block of 20 kB, 1 output',
  blockBytes: 20_000,
  outputRecords: 1,
  outputBytes: 300,
};
/** And a mass expiry. */
const COMMIT_WORKLOADS: readonly CommitWorkload[] = [
  BUSY,
  { name: 'block of 20 kB, 5000 outputs', blockBytes: 20_000, outputRecords: 5_000, outputBytes: 300 },
];

const DEFAULTS: CommitSettings = {
  workloads: COMMIT_WORKLOADS,
  writerCounts: [1, 16],
  pausesMs: [0, 100],
  commitsPerWriter: 50,
  repeats: 3,
  connectionCounts: [1, 2],
};

const PAGE: Page<CommitMeasurement> = {
  columns: [
    ['workload', ({ workload }) => workload],
    ['candidate', ({ candidate }) => candidate],
    ['writers', ({ writers }) => String(writers)],
    ['pause ms', ({ pauseMs }) => String(pauseMs)],
    ['p50 ms', ({ p50Ms }) => short(p50Ms)],
    ['p99 ms', ({ p99Ms }) => short(p99Ms)],
    ['commits/s', ({ commitsPerSecond }) => short(commitsPerSecond)],
    ['CPU ms/commit', ({ cpuMsPerCommit }) => short(cpuMsPerCommit)],
  ],
  charts: (rows) => [
    chart(
      rows.filter(({ workload, writers, pauseMs }) => workload === BUSY.name && writers === 1 && pauseMs === 0),
      {
        name: 'cpu',
        title: `CPU of a commit, ${BUSY.name}, of one writer that never pauses, ms; less is better`,
        label: ({ candidate }) => candidate,
        isOurs: ({ candidate }) => candidate.startsWith('flatline'),
        bar: ({ cpuMsPerCommit: ms }) => ({ median: ms, min: ms, max: ms }),
      },
    ),
  ],
};

export const commits = framed({
  name: 'commits',
  description: "latency and rate of transactions, beside kafkajs' transactional producer",
  settings: (options) => over(DEFAULTS, options),
  measure: measureCommits,
  report: ({ measurements }) => ({ rows: measurements, page: PAGE }),
});

async function measureCommits(
  ground: Ground<CommitSettings>,
): Promise<{ readonly measurements: readonly CommitMeasurement[] }> {
  const candidates = [
    ...ground.connectionCounts.map((count) => flatlineCandidate(ground.kafka, count)),
    kafkajsCandidate(ground.brokers),
  ];
  const topics = await createTopics(ground);
  const measurements: CommitMeasurement[] = [];
  for (const workload of ground.workloads)
    for (const writers of ground.writerCounts)
      for (const pauseMs of ground.pausesMs)
        measurements.push(...(await compare(candidates, topics, { ...ground, workload, writers, pauseMs })));
  for (const candidate of candidates) await candidate.close();
  return { measurements };
}

interface Topics {
  readonly changelogTopic: string;
  readonly outputTopic: string;
  readonly inputTopic: string;
}

async function createTopics({ kafka, connection, writerCounts }: Ground<CommitSettings>): Promise<Topics> {
  const run = `bench-${randomUUID()}`;
  const topics = { changelogTopic: `${run}.changelog`, outputTopic: `${run}.output`, inputTopic: `${run}.input` };
  const names = [topics.changelogTopic, topics.outputTopic, topics.inputTopic];
  const partitions = Math.max(...writerCounts);
  const admin = new KafkaTopicAdmin({ clock: kafka.clock, connection });
  await admin.createTopics(names.map((topic) => ({ topic, partitions, replicationFactor: -1 })));
  // A new partition's leader is announced before it is ready to answer.
  const logs = new KafkaLogAdmin({ clock: kafka.clock, connection });
  for (const topic of names)
    for (let partition = 0; partition < partitions; partition += 1) await logs.ends({ topic, partition });
  return topics;
}

interface Setting extends Ground<CommitSettings> {
  readonly workload: CommitWorkload;
  readonly writers: number;
  readonly pauseMs: DurationMs;
}

async function compare(
  candidates: readonly CommitCandidate[],
  topics: Topics,
  setting: Setting,
): Promise<readonly CommitMeasurement[]> {
  const opened = await Promise.all(candidates.map((candidate) => openWriters(candidate, topics, setting.writers)));
  // The first commits find leaders and coordinators, and warm up the code.
  for (const writers of opened) await commitWith(writers, { ...setting, commitsPerWriter: 5 });
  const { workload, writers: count, pauseMs } = setting;
  const cells = opened.map((writers, index) => ({
    name: `${workload.name}, ${count} writers, pause ${pauseMs} ms: ${candidates[index]!.name}`,
    take: () => commitWith(writers, setting),
  }));
  const { turns } = await takeTurns(cells, setting);
  await Promise.all(opened.flat().map((writer) => writer.close()));
  return candidates.map(({ name }, index) => summary(name, turns[index]!, setting));
}

function openWriters(candidate: CommitCandidate, topics: Topics, count: number): Promise<readonly CandidateWriter[]> {
  const group = randomUUID();
  return Promise.all(
    Array.from({ length: count }, (_, partition) => candidate.open(randomUUID(), { ...topics, group, partition })),
  );
}

interface Turn {
  readonly latenciesMs: readonly DurationMs[];
  readonly elapsedMs: DurationMs;
  readonly cpuMs: DurationMs;
}

async function commitWith(writers: readonly CandidateWriter[], setting: Setting): Promise<Turn> {
  const startedAtMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const latencies = await Promise.all(
    writers.map((writer, index) => commitRepeatedly(writer, setting, (setting.pauseMs * index) / writers.length)),
  );
  const { user, system } = process.cpuUsage(cpuBefore);
  return { latenciesMs: latencies.flat(), elapsedMs: performance.now() - startedAtMs, cpuMs: (user + system) / 1_000 };
}

/** @param offsetMs spreads the writers over the pause, as commit intervals spread tasks. */
async function commitRepeatedly(
  writer: CandidateWriter,
  { workload, commitsPerWriter, pauseMs }: Setting,
  offsetMs: DurationMs,
): Promise<readonly DurationMs[]> {
  const latencies: DurationMs[] = [];
  if (pauseMs > 0) await delay(offsetMs);
  for (let commit = 0; commit < commitsPerWriter; commit += 1) {
    const startedAtMs = performance.now();
    await writer.commit(workload, commit);
    latencies.push(performance.now() - startedAtMs);
    if (pauseMs > 0) await delay(pauseMs);
  }
  return latencies;
}

function summary(
  candidate: string,
  turns: readonly Turn[],
  { workload, writers, pauseMs }: Setting,
): CommitMeasurement {
  const latencies = turns.flatMap(({ latenciesMs }) => latenciesMs);
  const { p50Ms, p99Ms } = quantilesOf(latencies);
  const elapsedMs = turns.reduce((sum, turn) => sum + turn.elapsedMs, 0);
  const cpuMs = turns.reduce((sum, turn) => sum + turn.cpuMs, 0);
  const commitsPerSecond = (latencies.length / elapsedMs) * 1_000;
  return {
    candidate,
    workload: workload.name,
    writers,
    pauseMs,
    commits: latencies.length,
    p50Ms,
    p99Ms,
    commitsPerSecond,
    recordsPerSecond: commitsPerSecond * (workload.outputRecords + 1),
    cpuMsPerCommit: cpuMs / latencies.length,
  };
}
