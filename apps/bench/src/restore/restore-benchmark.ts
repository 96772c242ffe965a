// How fast an instance runs again: from its local store, and from the changelog alone, beside Kafka Streams with as many keys.
import { randomUUID } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchCluster, onBenchCluster } from '../bench-cluster.ts';
import { BenchTopics } from '../bench-topics.ts';
import type { BenchmarkOptions } from '../benchmark.ts';
import { measureApart } from '../measured-process.ts';
import type { JavaProgram } from '../peers/java-program.ts';
import { type KafkaStreamsContender, kafkaStreamsArguments, streamsJvm } from '../peers/kafka-streams.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import { contendersWith } from '../throughput/contenders.ts';
import type { ContenderTask } from '../throughput/contender-task.ts';
import { loadEvents } from '../throughput/event-load.ts';
import { PIPELINE } from '../throughput/flatline-processing.ts';
import type { RestoreCost } from './restore-cost.ts';

export interface RestoreSettings {
  readonly sessions: number;
  readonly partitions: number;
  readonly repeats: number;
}

export interface RestoreRow {
  readonly contender: string;
  readonly from: 'local store' | 'changelog';
  readonly costs: readonly RestoreCost[];
}

type Surroundings = Pick<BenchmarkOptions, 'workDir' | 'onProgress'>;

interface Ground extends Surroundings, RestoreSettings, BenchCluster {
  readonly topic: string;
}

const COMMIT_INTERVAL_MS = 200;
const SEED = 1;
const STREAMS: readonly KafkaStreamsContender[] = [
  { name: 'ks-rocksdb', does: 'processor, store on RocksDB', variant: 'punctuator', threads: 2, tickMs: 0 },
  { name: 'ks-memory', does: 'processor, store in memory', variant: 'in-memory', threads: 2, tickMs: 0 },
];

/** @throws Error where not every entry comes back, or a process fails. */
export async function measureRestore(
  settings: RestoreSettings,
  kafkaStreams: PeerLookUp,
  surroundings: Surroundings,
): Promise<readonly RestoreRow[]> {
  const topic = `bench-restore-${randomUUID()}`;
  return onBenchCluster(surroundings, async (cluster) => {
    const { connection } = cluster;
    const ground = { ...surroundings, ...settings, ...cluster, topic };
    await new BenchTopics(connection, settings.partitions).createInput(topic);
    // Each session once: a changelog of one image per session, the least there can be to read.
    const load = { ...settings, format: 'bare' as const, events: settings.sessions, seed: SEED };
    await loadEvents(connection, topic, load, () => undefined);
    const rows = [...(await restoreFlatline(ground))];
    if (kafkaStreams.kind === 'ready')
      for (const contender of STREAMS) rows.push(...(await restoreStreams(kafkaStreams.program, contender, ground)));
    return rows;
  });
}

async function restoreFlatline(ground: Ground): Promise<readonly RestoreRow[]> {
  const script = import.meta.filename.replace('restore-benchmark', 'restoring-process');
  const [flatline] = contendersWith({ kind: 'missing', why: '' });
  return inTurns('flatline', ground, ['local store', 'changelog'], {
    fill: (task) => flatline!.run({ ...task, format: 'bare' }),
    restore: (task) => measureApart<RestoreCost>(script, [JSON.stringify(task)], 'restoring'),
  });
}

function restoreStreams(
  program: JavaProgram,
  contender: KafkaStreamsContender,
  ground: Ground,
): Promise<readonly RestoreRow[]> {
  const run = (job: string, task: ContenderTask): Promise<RestoreCost> =>
    program.run<RestoreCost>(kafkaStreamsArguments(job, contender, task), streamsJvm(task.sessions));
  return inTurns(
    contender.name,
    ground,
    contender.variant === 'in-memory' ? ['changelog'] : ['local store', 'changelog'],
    {
      fill: (task) => run('throughput', task),
      restore: (task) => run('restore', task),
    },
  );
}

interface Turns {
  readonly fill: (task: ContenderTask) => Promise<unknown>;
  readonly restore: (task: ContenderTask) => Promise<RestoreCost>;
}

async function inTurns(
  contender: string,
  ground: Ground,
  sources: readonly RestoreRow['from'][],
  { fill, restore }: Turns,
): Promise<readonly RestoreRow[]> {
  const { brokers, connection, topic, partitions, sessions, repeats, workDir, onProgress } = ground;
  const application = `bench-${randomUUID()}`;
  const stateDir = join(workDir, application);
  const task: ContenderTask = {
    ...{ brokers, topic, partitions, application, stateDir },
    ...{ records: sessions, sessions, commitIntervalMs: COMMIT_INTERVAL_MS },
  };
  const rows = sources.map((from) => ({ contender, from, costs: [] as RestoreCost[] }));
  try {
    await new BenchTopics(connection, partitions).createFor(application, PIPELINE);
    mkdirSync(stateDir, { recursive: true });
    onProgress(`${contender}: filling`);
    await fill(task);
    for (let repeat = 0; repeat < repeats; repeat += 1)
      for (const { from, costs } of rows) {
        onProgress(`${contender}: from the ${from}, ${repeat + 1} of ${repeats}`);
        if (from === 'changelog') rmSync(stateDir, { recursive: true, force: true });
        mkdirSync(stateDir, { recursive: true });
        const cost = await restore(task);
        if (from === 'changelog' && cost.entries < sessions)
          throw new Error(`${contender} came back with ${cost.entries} of ${sessions} entries`);
        costs.push(cost);
      }
  } finally {
    rmSync(stateDir, { recursive: true, force: true });
  }
  return rows;
}
