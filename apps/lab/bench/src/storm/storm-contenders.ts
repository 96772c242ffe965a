// Contenders of the storm: started before it, measured through it.
import type { DurationMs } from '@flatline/base';
import { PIPELINE } from '../bench-topics.ts';
import { Member } from '../failover/member.ts';
import type { LoopDelay } from '../loop-delay.ts';
import type { JavaProgram } from '../peers/java-program.ts';
import {
  type KafkaStreamsContender,
  kafkaStreamsArguments,
  PROMPT_STREAMS,
  streamsJvm,
  streamsPace,
} from '../peers/kafka-streams.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import type { ContenderTask } from '../throughput/contender-task.ts';
import { processCpuMs } from '../process-stat.ts';

interface StormCost {
  readonly cpuMs: DurationMs | undefined;
  readonly loopDelay: LoopDelay | undefined;
}

export interface StormContender {
  readonly name: string;
  readonly does: string;
  readonly groupOf: (application: string) => string;
  /** Starts it, waits until it runs, and leaves it running. */
  start(task: ContenderTask, timeoutMs: DurationMs): Promise<RunningContender>;
}

export interface RunningContender {
  /** Rejects if it ends by itself. */
  readonly ended: Promise<never>;
  beginCost(): void;
  /** Since `beginCost`. */
  cost(): Promise<StormCost>;
  end(): Promise<void>;
}

/** Where its name says no other. */
export const STREAMS_COMMIT_INTERVAL_MS: DurationMs = 100;
const PEERS: readonly KafkaStreamsContender[] = [
  ...PROMPT_STREAMS,
  {
    name: 'ks-memory 1 s',
    variant: 'in-memory',
    threads: 2,
    tickMs: 1_000,
    pollMs: 5,
    does: 'store in memory, all keys scanned each second',
  },
];

export function stormContenders(kafkaStreams: PeerLookUp): readonly StormContender[] {
  const flatline: StormContender = {
    name: 'flatline',
    does: 'exactly once, by default commits of closes after 20 ms; changelog, local store, JSON summaries and tombstones, unpacked',
    groupOf: (application) => `${application}.${PIPELINE}`,
    start: startFlatline,
  };
  if (kafkaStreams.kind === 'missing') return [flatline];
  const { program } = kafkaStreams;
  const version = program.versionOf('kafka-streams');
  const peers = PEERS.map((contender): StormContender => ({
    name: contender.name,
    does: `Kafka Streams ${version}, exactly once, ${contender.threads} threads, ${streamsPace(contender, STREAMS_COMMIT_INTERVAL_MS)}, output unpacked: ${contender.does}`,
    groupOf: (application) => application,
    start: (task, timeoutMs) => startStreams(program, contender, task, timeoutMs),
  }));
  return [flatline, ...peers];
}

async function startFlatline(task: ContenderTask, timeoutMs: DurationMs): Promise<RunningContender> {
  // Output uncompressed, as the others' producers: compressing would be measured as something else.
  const member = await Member.alone(task, { timeoutMs, compression: 'none' });
  return {
    ended: member.ended,
    beginCost: () => {
      member.beginCost();
    },
    cost: () => member.cost(),
    end: () => member.leave(),
  };
}

async function startStreams(
  program: JavaProgram,
  contender: KafkaStreamsContender,
  task: ContenderTask,
  timeoutMs: DurationMs,
): Promise<RunningContender> {
  const args = { ...kafkaStreamsArguments('run', contender, task), timeoutMs };
  const running = await program.start(args, streamsJvm(task.sessions));
  let before: DurationMs | undefined;
  return {
    ended: running.ended,
    beginCost: () => {
      before = processCpuMs(running.pid);
    },
    cost: () => {
      const now = processCpuMs(running.pid);
      return Promise.resolve({
        cpuMs: now === undefined || before === undefined ? undefined : now - before,
        loopDelay: undefined,
      });
    },
    end: () => running.end(),
  };
}
