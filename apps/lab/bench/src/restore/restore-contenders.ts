// Contenders that are started again, after which ends, and how each is started and ended.
import type { DurationMs } from '@flatline/base';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bindToExit } from '../exit-bound.ts';
import type { LoopDelay } from '../loop-delay.ts';
import { profiling } from '../measured-process.ts';
import type { JavaProgram, ProgramArguments } from '../peers/java-program.ts';
import { type KafkaStreamsContender, kafkaStreamsArguments, streamsJvm } from '../peers/kafka-streams.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import { contendersWith } from '../throughput/contenders.ts';
import type { ContenderCost, ContenderTask } from '../throughput/contender-task.ts';

/** Cost of starting again, in a process of its own. */
export interface RestoreCost {
  /** Live entries, or records read back. */
  readonly entries: number;
  /** From the assignment to running, the slowest partition; of Kafka Streams from the first restoration's begin to the last one's end. */
  readonly restoreMs: DurationMs;
  /** From the start, joining the group included. */
  readonly untilRunningMs: DurationMs;
  /** Over the same span, all threads of the process. */
  readonly cpuMs: DurationMs;
  /** Over the same span, of a process on Node. */
  readonly loopDelay?: LoopDelay;
}

/** How the one before ended. `kill −9`: while heartbeats come; `loss of its disk`: cleanly, and its state directory is gone. */
export type EndBefore = 'clean stop' | 'kill −9' | 'loss of its disk';

/** It runs again, and says what that took. */
export interface Restarted {
  readonly cost: RestoreCost;
  /** In good order. */
  stop(): Promise<void>;
  kill(): Promise<void>;
}

export interface RestoreContender {
  readonly name: string;
  readonly does: string;
  /** In this order. */
  readonly ends: readonly EndBefore[];
  /** Reads the input to its end, and ends in good order. */
  fill(task: ContenderTask): Promise<unknown>;
  restart(task: ContenderTask): Promise<Restarted>;
}

interface RestoreStreams extends KafkaStreamsContender {
  readonly ends: readonly EndBefore[];
  readonly membership: ProgramArguments;
}

/** As of our own members: how long a group waits for one that is gone. */
const SESSION_TIMEOUT_MS: DurationMs = 10_000;
/** Not what is measured: as long as it takes. */
const FILL_MAX_MS: DurationMs = 900_000;
const STATIC: ProgramArguments = { groupInstanceId: 'a', sessionTimeoutMs: SESSION_TIMEOUT_MS };
const ROCKSDB = { variant: 'punctuator', threads: 2, tickMs: 0 } as const;
const STATIC_TEXT = `group.instance.id, session.timeout.ms ${SESSION_TIMEOUT_MS}`;

const STREAMS: readonly RestoreStreams[] = [
  {
    ...ROCKSDB,
    name: 'ks-rocksdb',
    membership: {},
    ends: ['clean stop', 'kill −9'],
    does: 'store on RocksDB, kept; membership by default (session.timeout.ms 45000)',
  },
  {
    ...ROCKSDB,
    name: 'ks-rocksdb leaving',
    membership: { leavesGroup: 1 },
    ends: ['clean stop'],
    does: 'the same, told to leave its group at a clean stop (KIP-1153)',
  },
  {
    ...ROCKSDB,
    name: 'ks-rocksdb static',
    membership: STATIC,
    ends: ['clean stop', 'kill −9', 'loss of its disk'],
    does: `the same, a static member (${STATIC_TEXT})`,
  },
  {
    name: 'ks-memory static',
    variant: 'in-memory',
    threads: 2,
    tickMs: 0,
    membership: STATIC,
    ends: ['clean stop', 'kill −9'],
    does: `store in memory, a static member (${STATIC_TEXT})`,
  },
];

export function restoreContenders(kafkaStreams: PeerLookUp): readonly RestoreContender[] {
  const [own] = contendersWith({ kind: 'missing', why: '' });
  const flatline: RestoreContender = {
    name: 'flatline',
    does: `its local store kept; kafka.sessionTimeoutMs ${SESSION_TIMEOUT_MS}, the default`,
    ends: ['clean stop', 'kill −9', 'loss of its disk'],
    fill: (task) => own!.run({ ...task, format: 'bare' }),
    restart: restartFlatline,
  };
  if (kafkaStreams.kind === 'missing') return [flatline];
  const { program } = kafkaStreams;
  const version = program.versionOf('kafka-streams');
  return [flatline, ...STREAMS.map((streams) => streamsContender(program, version, streams))];
}

async function restartFlatline(task: ContenderTask): Promise<Restarted> {
  const script = import.meta.filename.replace('restore-contenders', 'restoring-process');
  const execArgv = [...process.execArgv, '--expose-gc', ...profiling('restoring')];
  const child = bindToExit(fork(script, [JSON.stringify(task)], { execArgv }));
  const exit = once(child, 'exit');
  const ended = exit.then(() => Promise.reject(new Error('the processor ended instead of running again')));
  ended.catch(() => undefined);
  const [cost] = (await Promise.race([once(child, 'message'), ended])) as [RestoreCost];
  if (cost.entries < task.sessions) throw new Error(`${cost.entries} of ${task.sessions} sessions have come back`);
  return {
    cost,
    stop: async () => {
      child.send('stop');
      await exit;
      if (child.exitCode !== 0) throw new Error(`the processor ended with ${howOf(child)}`);
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}

function howOf({ exitCode, signalCode }: ChildProcess): string {
  return signalCode ?? `code ${String(exitCode)}`;
}

function streamsContender(program: JavaProgram, version: string, streams: RestoreStreams): RestoreContender {
  const { name, does, ends, membership } = streams;
  const argumentsFor = (job: string, task: ContenderTask): ProgramArguments => ({
    ...kafkaStreamsArguments(job, streams, task),
    ...membership,
  });
  return {
    name,
    ends,
    does: `Kafka Streams ${version}, 2 threads: ${does}`,
    fill: async (task) => {
      const args = { ...argumentsFor('throughput', task), runMaxMs: FILL_MAX_MS };
      const { stopped } = await program.run<ContenderCost>(args, streamsJvm(task.sessions));
      if (stopped === true) throw new Error(`${name} has not read the input within ${FILL_MAX_MS / 1_000} s`);
    },
    restart: async (task) => {
      const running = await program.start(argumentsFor('restore', task), streamsJvm(task.sessions));
      return {
        cost: running.first as RestoreCost,
        stop: () => running.end(),
        kill: () => running.kill(),
      };
    },
  };
}
