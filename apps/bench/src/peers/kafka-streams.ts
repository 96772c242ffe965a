// Kafka Streams as a contender: what its users write to see silence, each set up for speed and exactly once.
import type { DurationMs } from '@flatline/base';
import { workspaceOf } from '@flatline/dev-broker';
import { join } from 'node:path';
import type { ContenderCost, ContenderTask, ThroughputTask } from '../throughput/contender-task.ts';
import type { JavaProgram, JvmSettings, ProgramArguments } from './java-program.ts';

type KafkaStreamsVariant = 'session-windows' | 'punctuator' | 'in-memory';

export interface KafkaStreamsContender {
  readonly name: string;
  readonly does: string;
  readonly variant: KafkaStreamsVariant;
  readonly threads: number;
  /** Between two looks at all sessions; 0: it closes nothing. */
  readonly tickMs: DurationMs;
}

/** Where throughput counts. */
export const STREAMS_JVM: JvmSettings = { heapMb: 2_048, collector: 'Parallel' };
/** As of the processor it is measured against: nobody falls silent during a run. */
const TIMEOUT_MS: DurationMs = 3_600_000;
/** A contender that has not got through the topic by then is measured by what it has committed. */
export const RUN_MAX_MS: DurationMs = 60_000;

export const KAFKA_STREAMS_CONTENDERS: readonly KafkaStreamsContender[] = [
  {
    ...{ name: 'ks-windows', variant: 'session-windows', threads: 2, tickMs: 0 },
    does: 'session windows and suppress; a quiet partition closes nothing',
  },
  {
    ...{ name: 'ks-punctuator', variant: 'punctuator', threads: 2, tickMs: 1_000 },
    does: 'processor, store on RocksDB, all keys scanned each second',
  },
  {
    ...{ name: 'ks-memory', variant: 'in-memory', threads: 2, tickMs: 0 },
    does: 'processor, store in memory, without the scan: closes nothing, an upper bound',
  },
  {
    ...{ name: 'ks-memory-1', variant: 'in-memory', threads: 1, tickMs: 0 },
    does: 'the same on one thread',
  },
];

/** What is done with events that have a payload, all of it in its favour; bare ones have nothing to read. */
export function eventsNote(program: JavaProgram): string {
  return (
    `events parsed with jackson-core ${program.versionOf('jackson-core')} or avro ${program.versionOf('avro')} (its schema ` +
    'given, no registry); it keeps event times, counts by type, the highest sequence and the number received, and ' +
    'tells repetitions by the highest sequence alone, without a window of 64'
  );
}

/** Its cost from the first record processed to the last one committed, of its whole process. */
export async function processWithKafkaStreams(
  program: JavaProgram,
  contender: KafkaStreamsContender,
  task: ThroughputTask,
): Promise<ContenderCost> {
  const schema = join(workspaceOf(import.meta.url).root, 'schemas', 'session-event.avsc');
  const args = { ...kafkaStreamsArguments('throughput', contender, task), format: task.format, schema };
  return { ...(await program.run<Omit<ContenderCost, 'processor'>>(args, STREAMS_JVM)), processor: undefined };
}

/** Of bare heartbeats: values are not looked at. */
export function kafkaStreamsArguments(
  job: string,
  { variant, threads, tickMs }: KafkaStreamsContender,
  task: ContenderTask,
): ProgramArguments {
  const { application, brokers, topic, partitions, stateDir, commitIntervalMs } = task;
  return {
    ...{ job, variant, threads, tickMs, timeoutMs: TIMEOUT_MS, runMaxMs: RUN_MAX_MS },
    ...{ application, topic, partitions, stateDir, commitIntervalMs },
    ...{ brokers: brokers.join(','), output: `${application}.output`, format: 'bare' },
  };
}
