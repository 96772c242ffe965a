// Kafka Streams as a contender: the topologies by which its users detect silence, each set up for speed and exactly once.
import type { DurationMs } from '@flatline/base';
import { workspaceOf } from '@flatline/dev-broker';
import { join } from 'node:path';
import {
  type ContenderCost,
  type ContenderTask,
  type ProgramCost,
  type ThroughputTask,
  WARM_UP_TIME_SHARE,
} from '../tasks/contender-task.ts';
import { processCpuMs } from '../process-stat.ts';
import type { RunningContender } from '../tasks/instance-task.ts';
import type { JavaProgram, JvmSettings, ProgramArguments } from './java-program.ts';

type KafkaStreamsVariant =
  'session-windows' | 'session-windows-on-close' | 'punctuator' | 'in-memory' | 'deadlines' | 'deadlines-rocksdb';

export interface KafkaStreamsContender {
  readonly name: string;
  readonly does: string;
  readonly variant: KafkaStreamsVariant;
  readonly threads: number;
  /** Between two looks at sessions; 0: it closes none, or as its windows do. */
  readonly tickMs: DurationMs;
  /** `commit.interval.ms`. Default: the task's, 100 or 200. */
  readonly commitIntervalMs?: DurationMs;
  /** `poll.ms`: how long a poll may delay a punctuation that is due. Default: Kafka Streams' own, 100. */
  readonly pollMs?: DurationMs;
}

export interface ThroughputStreams extends KafkaStreamsContender {
  /** `never`: no session is ever closed, an upper bound of its throughput. */
  readonly closing: 'windows' | 'timely' | 'never';
}

/** Heap for few sessions; it grows with their number. */
const HEAP_MB_MIN = 2_048;
const HEAP_MB_MAX = 8_192;
const HEAP_BYTES_PER_SESSION = 2_048;
/** Kafka Streams counts some 200 bytes for a session. */
const CACHE_BYTES_MIN = 256 * 2 ** 20;
const CACHE_BYTES_PER_SESSION = 320;
/** The same for the measured processor: no session falls silent during a turn. */
const TIMEOUT_MS: DurationMs = 3_600_000;
/** A contender that has not got through the topic by then is measured by what it has committed. */
const RUN_MAX_MS: DurationMs = 40_000;
const IN_ORDER = 'another in the order of deadlines, looked at each 100 ms for what is due';

function variant(
  name: string,
  kind: KafkaStreamsVariant,
  threads: number,
  tickMs: DurationMs,
  does: string,
): KafkaStreamsContender {
  return { name, variant: kind, threads, tickMs, does };
}

/** Makes it poll so often that a poll waiting for records delays no punctuation. */
export function prompt(
  name: string,
  kind: KafkaStreamsVariant,
  tickMs: DurationMs,
  does: string,
): KafkaStreamsContender {
  return { ...variant(name, kind, 2, tickMs, does), pollMs: 5 };
}

function closing(how: ThroughputStreams['closing'], contender: KafkaStreamsContender): ThroughputStreams {
  return { ...contender, closing: how };
}

const WINDOWS = 'session windows and suppress; a quiet partition closes nothing';
const ON_CLOSE =
  'session windows and EmitStrategy.onWindowClose, retention of twice the timeout; a quiet partition closes nothing';
const SCANNED = 'store on RocksDB, all keys scanned each second';
const UNSEEN = 'processor, store in memory, no look at what is due: closes nothing, a bound for what it can do';

export const KAFKA_STREAMS_CONTENDERS: readonly ThroughputStreams[] = [
  closing('windows', variant('ks-windows', 'session-windows', 2, 0, WINDOWS)),
  closing('windows', variant('ks-windows-on-close', 'session-windows-on-close', 2, 0, ON_CLOSE)),
  closing('timely', variant('ks-punctuator', 'punctuator', 2, 1_000, `processor, ${SCANNED}`)),
  closing('timely', variant('ks-deadlines', 'deadlines', 2, 100, `processor, store in memory, ${IN_ORDER}`)),
  closing('timely', variant('ks-deadlines-1', 'deadlines', 1, 100, 'the same on one thread')),
  closing('never', variant('ks-memory-1', 'in-memory', 1, 0, UNSEEN)),
];

/** Variants that look for due sessions by the machine's clock, set up for timely closes. */
export const PROMPT_STREAMS: readonly KafkaStreamsContender[] = [
  prompt('ks-punctuator 1 s', 'punctuator', 1_000, SCANNED),
  prompt('ks-deadlines 100 ms', 'deadlines', 100, `store in memory, ${IN_ORDER}`),
  prompt('ks-deadlines 25 ms', 'deadlines', 25, 'the same, each 25 ms'),
  {
    ...prompt('ks-deadlines 25 ms, commits 25 ms', 'deadlines', 25, 'the same, committed as often'),
    commitIntervalMs: 25,
  },
];

/** For a rate that all can take: one thread, which costs the least, and two, as where speed counts. */
export const PACED_STREAMS: readonly KafkaStreamsContender[] = [
  variant('ks-deadlines-1', 'deadlines', 1, 100, `store in memory, ${IN_ORDER}`),
  variant('ks-deadlines-2', 'deadlines', 2, 100, 'the same on two threads'),
  variant(
    'ks-deadlines-rocksdb-1',
    'deadlines-rocksdb',
    1,
    100,
    'as the first, on RocksDB, with a cache for all sessions',
  ),
];

/** A contender's commits, and the promptness of its punctuations, for the report. */
export function streamsPace({ commitIntervalMs, pollMs }: KafkaStreamsContender, usualMs: DurationMs): string {
  const polls = pollMs === undefined ? '' : `, poll.ms ${pollMs}`;
  return `commits each ${commitIntervalMs ?? usualMs} ms${polls}`;
}

/** How all of them are run, and how events with a payload are handled, all of it in their favour. */
export function streamsNote(program: JavaProgram): string {
  return (
    `exactly once, parallel collector, stopped after ${RUN_MAX_MS / 1_000} s; events parsed with jackson-core ` +
    `${program.versionOf('jackson-core')} or avro ${program.versionOf('avro')} (its schema given, no registry); it keeps event ` +
    'times, counts by type, the highest sequence and the number received, and tells repetitions by the highest sequence ' +
    'alone, without a window of 64'
  );
}

/** For throughput. @param sessions alive at the same time */
export function streamsJvm(sessions: number): JvmSettings {
  const heapMb = Math.ceil((sessions * HEAP_BYTES_PER_SESSION) / 2 ** 20);
  return { heapMb: Math.min(HEAP_MB_MAX, Math.max(HEAP_MB_MIN, heapMb)), collector: 'Parallel' };
}

/** Cost of its whole process from the first record processed, or the end of its warm-up, to the last one committed. */
export async function processWithKafkaStreams(
  program: JavaProgram,
  contender: KafkaStreamsContender,
  task: ThroughputTask,
): Promise<ContenderCost> {
  const schema = join(workspaceOf(import.meta.url).root, 'schemas', 'session-event.avsc');
  const args = { ...kafkaStreamsArguments('throughput', contender, task), format: task.format, schema };
  const cost = await program.run<ProgramCost>(args, streamsJvm(task.sessions));
  return { ...cost, processor: undefined };
}

/** Starts it, waits until it runs, and leaves it running. */
export async function startStreams(
  program: JavaProgram,
  args: ProgramArguments,
  jvm: JvmSettings,
): Promise<RunningContender & { readonly first: unknown }> {
  const running = await program.start(args, jvm);
  const { pid, first, ended } = running;
  let before: DurationMs | undefined;
  return {
    pid,
    group: String(args['application']),
    first,
    ended,
    beginCost: () => {
      before = processCpuMs(pid);
    },
    cost: () => {
      const now = processCpuMs(pid);
      const cpuMs = now === undefined || before === undefined ? undefined : now - before;
      return Promise.resolve({ cpuMs, loopDelay: undefined });
    },
    stop: () => running.end(),
    kill: () => running.kill(),
  };
}

/** Arguments for bare heartbeats: values are not read. */
export function kafkaStreamsArguments(
  job: string,
  { variant, threads, tickMs, commitIntervalMs, pollMs }: KafkaStreamsContender,
  task: Omit<ContenderTask, 'records'>,
): ProgramArguments {
  const { application, brokers, topic, partitions, stateDir, sessions, warmUpRecords = 0 } = task;
  return {
    job,
    variant,
    threads,
    tickMs,
    timeoutMs: TIMEOUT_MS,
    warmUpRecords,
    warmUpMs: WARM_UP_TIME_SHARE * RUN_MAX_MS,
    runMaxMs: RUN_MAX_MS,
    application,
    topic,
    partitions,
    stateDir,
    commitIntervalMs: commitIntervalMs ?? task.commitIntervalMs,
    ...(pollMs !== undefined && { pollMs }),
    cacheBytes: isOnDisk(variant) ? Math.max(CACHE_BYTES_MIN, sessions * CACHE_BYTES_PER_SESSION) : CACHE_BYTES_MIN,
    brokers: brokers.join(','),
    output: `${application}.output`,
    format: 'bare',
  };
}

/** A cache before an in-memory store only combines the writes of one commit. */
function isOnDisk(variant: KafkaStreamsVariant): boolean {
  return variant !== 'in-memory' && variant !== 'deadlines';
}
