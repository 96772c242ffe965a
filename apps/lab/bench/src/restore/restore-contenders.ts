// Contenders that are started again, after which ends, and how each is started and ended.
import type { DurationMs } from '@flatline/base';
import type { BenchmarkOptions } from '../benchmark.ts';
import { type Described, type LineUp, streamsLineUp, threadsText } from '../frame/line-up.ts';
import type { ProgramArguments } from '../peers/java-program.ts';
import { type KafkaStreamsContender, kafkaStreamsArguments, startStreams, streamsJvm } from '../peers/kafka-streams.ts';
import { processCpuMs } from '../process-stat.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS, type RunningContender } from '../tasks/instance-task.ts';
import { runOwn } from '../throughput/contenders.ts';
import type { ContenderCost, ContenderTask } from '../tasks/contender-task.ts';
import type { EndBefore, RestoreCost } from './restore-page.ts';

/** An instance that runs again, and the cost of that. */
export interface Restarted {
  readonly running: Pick<RunningContender, 'stop' | 'kill'>;
  readonly cost: RestoreCost;
}

export interface RestoreContender extends Described {
  /** In this order. */
  readonly ends: readonly EndBefore[];
  /** Reads the input to its end, and stops cleanly. */
  fill(task: ContenderTask): Promise<unknown>;
  restart(task: ContenderTask): Promise<Restarted>;
}

interface RestoreStreams extends KafkaStreamsContender {
  readonly ends: readonly EndBefore[];
  readonly membership: ProgramArguments;
}

/** The same as for our own members: how long a group waits for one that is gone. */
const SESSION_TIMEOUT_MS: DurationMs = 10_000;
/** Unmeasured, so it may take its time. */
const FILL_MAX_MS: DurationMs = 900_000;
const STATIC: ProgramArguments = { groupInstanceId: 'a', sessionTimeoutMs: SESSION_TIMEOUT_MS };
const STATIC_TEXT = `a static member (group.instance.id, session.timeout.ms ${SESSION_TIMEOUT_MS})`;
const STOPPED_OR_KILLED: readonly EndBefore[] = ['clean stop', 'kill −9'];

function onDisk(name: string, membership: ProgramArguments, ends: readonly EndBefore[], does: string): RestoreStreams {
  return { name, variant: 'punctuator', threads: 2, tickMs: 0, membership, ends, does };
}

const STREAMS: readonly RestoreStreams[] = [
  onDisk(
    'ks-rocksdb',
    {},
    STOPPED_OR_KILLED,
    'store on RocksDB, kept; membership by default (session.timeout.ms 45000)',
  ),
  onDisk(
    'ks-rocksdb leaving',
    { leavesGroup: 1 },
    ['clean stop'],
    'the same, told to leave its group at a clean stop (KIP-1153)',
  ),
  onDisk('ks-rocksdb static', STATIC, [...STOPPED_OR_KILLED, 'loss of its disk'], `the same, ${STATIC_TEXT}`),
  { ...onDisk('ks-memory static', STATIC, STOPPED_OR_KILLED, `store in memory, ${STATIC_TEXT}`), variant: 'in-memory' },
];

/** @param instance its name in the group; undefined: a new one at each start, like a member that is not static */
function flatline(name: string, instance: string | undefined, does: string): RestoreContender {
  return {
    name,
    does,
    ends: [...STOPPED_OR_KILLED, 'loss of its disk'],
    fill: (task) => runOwn('flatline', task),
    restart: async (task) => {
      const sinceSpawn = spawning();
      const running = new Instance({ ...task, instance, timeoutMs: NEVER_MS, isTimed: true });
      const { liveSessions: entries, restoreMs, elapsedMs, cpuMs, loopDelay } = await running.ask({ kind: 'running' });
      const spent = sinceSpawn(running.pid);
      if (entries < task.sessions) throw new Error(`${entries} of ${task.sessions} sessions have come back`);
      return { running, cost: { entries, restoreMs, ...afterLoading(spent, elapsedMs, cpuMs), loopDelay } };
    },
  };
}

const OWN: readonly RestoreContender[] = [
  flatline(
    'flatline',
    undefined,
    `its local store kept; kafka.sessionTimeoutMs ${SESSION_TIMEOUT_MS}, the default; no name in the group`,
  ),
  flatline('flatline static', 'a', 'the same, named by --instance, so a static member'),
];

type Spent = Pick<RestoreCost, 'untilRunningMs' | 'cpuMs'>;

/** Called right before a process is spawned: what its user waits for, and what it takes, begins there. */
function spawning(): (pid: number | undefined) => Spent {
  const spawnedAtMs = performance.now();
  return (pid) => {
    const [untilRunningMs, cpuMs] = [performance.now() - spawnedAtMs, processCpuMs(pid)];
    if (cpuMs === undefined) throw new Error('the CPU time of others is not told: run it on Linux');
    return { untilRunningMs, cpuMs };
  };
}

/** @param elapsedMs and @param workCpuMs as the process itself tells them, from when its code was loaded */
function afterLoading(
  spent: Spent,
  elapsedMs: DurationMs,
  workCpuMs: DurationMs,
): Spent & Pick<RestoreCost, 'loadingMs' | 'workCpuMs'> {
  return { ...spent, loadingMs: Math.max(0, spent.untilRunningMs - elapsedMs), workCpuMs };
}

export function restoreLineUp(options: BenchmarkOptions): Promise<LineUp<RestoreContender>> {
  return streamsLineUp<RestoreContender, RestoreStreams>(options, OWN, {
    variants: STREAMS,
    how: threadsText,
    contender: (described, program, streams) => {
      const argumentsFor = (job: string, task: ContenderTask): ProgramArguments => ({
        ...kafkaStreamsArguments(job, streams, task),
        ...streams.membership,
      });
      return {
        ...described,
        ends: streams.ends,
        fill: async (task) => {
          const args = { ...argumentsFor('throughput', task), runMaxMs: FILL_MAX_MS };
          const { stopped } = await program.run<ContenderCost>(args, streamsJvm(task.sessions));
          if (stopped === true)
            throw new Error(`${streams.name} has not read the input within ${FILL_MAX_MS / 1_000} s`);
        },
        restart: async (task) => {
          const sinceSpawn = spawning();
          const running = await startStreams(program, argumentsFor('restore', task), streamsJvm(task.sessions));
          const spent = sinceSpawn(running.pid);
          const told = running.first as Spent & Pick<RestoreCost, 'entries' | 'restoreMs'>;
          return { running, cost: { ...told, ...afterLoading(spent, told.untilRunningMs, told.cpuMs) } };
        },
      };
    },
  });
}
