// Who closes sessions while their lateness is measured, and what each can take.
import type { DurationMs } from '@flatline/base';
import { PROBE_TIMEOUT_MS } from '../failover/failover-scenario.ts';
import { Member } from '../failover/member.ts';
import { STREAMS_JVM, type KafkaStreamsContender, kafkaStreamsArguments } from '../peers/kafka-streams.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import { contendersWith } from '../throughput/contenders.ts';
import type { ContenderCost, ContenderTask } from '../throughput/contender-task.ts';

/** Those on Node say what they cost. */
type StartedContender = Pick<Member, 'end'> & Partial<Pick<Member, 'beginCost' | 'cost'>>;

export interface LatencyContender {
  readonly name: string;
  /** Runs through a full topic, for its capacity. */
  process(task: ContenderTask): Promise<Pick<ContenderCost, 'records' | 'elapsedMs'>>;
  /** Starts it, waits until it runs, and leaves it running. */
  start(task: ContenderTask): Promise<StartedContender>;
}

const GROUP_SESSION_MS: DurationMs = 10_000;
const PUNCTUATORS: readonly KafkaStreamsContender[] = [1_000, 100].map((tickMs) => ({
  ...{ name: `ks-punctuator ${tickMs} ms`, does: `all keys scanned each ${tickMs} ms` },
  ...{ variant: 'punctuator' as const, threads: 2, tickMs },
}));

export function latencyContenders(kafkaStreams: PeerLookUp): readonly LatencyContender[] {
  const [own] = contendersWith({ kind: 'missing', why: '' });
  const flatline: LatencyContender = {
    name: 'flatline',
    process: (task) => own!.run({ ...task, format: 'bare' }),
    start: startFlatline,
  };
  if (kafkaStreams.kind === 'missing') return [flatline];
  const { program } = kafkaStreams;
  const peers = PUNCTUATORS.map((contender): LatencyContender => {
    const args = (job: string, task: ContenderTask): ReturnType<typeof kafkaStreamsArguments> =>
      kafkaStreamsArguments(job, contender, task);
    return {
      name: contender.name,
      process: (task) => program.run<ContenderCost>(args('throughput', task), STREAMS_JVM),
      start: (task) =>
        program.start({ ...args('run', task), probeTimeoutMs: PROBE_TIMEOUT_MS }, { ...STREAMS_JVM, collector: 'G1' }),
    };
  });
  return [flatline, ...peers];
}

async function startFlatline({ application, brokers, topic, stateDir, partitions }: ContenderTask): Promise<Member> {
  const settings = { instance: 'a', standbys: 0, sessionTimeoutMs: GROUP_SESSION_MS };
  const member = await Member.start({ ...settings, application, brokers, topic, stateDir });
  await member.until((held) => held.filter(({ state }) => state === 'running').length === partitions);
  return member;
}
