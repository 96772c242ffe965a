// Contenders whose lateness in closing sessions is measured, and the load that each can take.
import type { DurationMs } from '@flatline/base';
import type { BenchmarkOptions } from '../benchmark.ts';
import type { SeenClose } from '../failover/close-watch.ts';
import { PROBE_TIMEOUT_MS } from '../failover/failover-scenario.ts';
import { Member } from '../failover/member.ts';
import { kafkaStreamsArguments, PROMPT_STREAMS, streamsJvm, streamsPace } from '../peers/kafka-streams.ts';
import { joined, type LineUp, peerLineUp, streamsLineUp } from '../frame/line-up.ts';
import type { PeerLookUp } from '../peers/peer.ts';
import { STORE_NAMES, StorePeer } from '../peers/store-peers.ts';
import { contendersWith } from '../throughput/contenders.ts';
import type { ContenderCost, ContenderTask } from '../throughput/contender-task.ts';
import { COMMIT_INTERVAL_MS } from './latency-scenario.ts';

export interface LatencyContender {
  readonly name: string;
  /** What it does, for the report. */
  readonly does: string;
  /** A peer's failure leaves the others to be measured. */
  readonly isPeer?: boolean;
  /** Runs through a full topic, for its capacity. */
  process(task: ContenderTask): Promise<Pick<ContenderCost, 'records' | 'elapsedMs'>>;
  /** Starts it, waits until it runs, and leaves it running. */
  start(task: ContenderTask): Promise<LatencyRun>;
}

/** Those on Node say what they cost. */
interface LatencyRun extends Partial<Pick<Member, 'beginCost' | 'cost'>> {
  /** As its own users have seen them so far; undefined: they read its output topic. */
  readonly closes?: () => readonly SeenClose[];
  end(): Promise<void>;
}

/** Timeout of the sessions that live on. */
const TIMEOUT_MS: DurationMs = 3_600_000;
/** The defaults of commitIntervalMs and closeDelayMs. */
const FLATLINE_PACE = 'commits closes after 20 ms, and what only changed after 500';
/** By default, and with more clock records on partitions that are quiet: what the punctuators' intervals are to them. */
const FLATLINES = [
  { name: 'flatline', does: `exactly once, by default: ${FLATLINE_PACE}`, proofIntervalMs: undefined },
  {
    name: 'flatline 25 ms',
    proofIntervalMs: 25,
    does: 'proofIntervalMs is 25 in place of 100, as the punctuators have intervals of their own',
  },
];

export async function latencyLineUp(options: BenchmarkOptions): Promise<LineUp<LatencyContender>> {
  const stores = STORE_NAMES.map(async (name) =>
    peerLineUp(name, await StorePeer.lookUp(name, options), storeContender),
  );
  return joined(await streamsLineUp(options, kafkaContenders), ...(await Promise.all(stores)));
}

function kafkaContenders(kafkaStreams: PeerLookUp): readonly LatencyContender[] {
  const [own] = contendersWith({ kind: 'missing', why: '' });
  const flatlines = FLATLINES.map(({ name, does, proofIntervalMs }): LatencyContender => ({
    name,
    does,
    process: (task) => own!.run({ ...task, format: 'bare' }),
    start: (task) => Member.alone(task, { proofIntervalMs }),
  }));
  if (kafkaStreams.kind === 'missing') return flatlines;
  const { program } = kafkaStreams;
  const peers = PROMPT_STREAMS.map((contender): LatencyContender => {
    const args = (job: string, task: ContenderTask): ReturnType<typeof kafkaStreamsArguments> =>
      kafkaStreamsArguments(job, contender, task);
    return {
      name: contender.name,
      isPeer: true,
      does: `Kafka Streams ${program.versionOf('kafka-streams')}, exactly once, ${contender.threads} threads, ${streamsPace(contender, COMMIT_INTERVAL_MS)}: ${contender.does}`,
      process: (task) => program.run<ContenderCost>(args('throughput', task), streamsJvm(task.sessions)),
      start: (task) =>
        program.start(
          { ...args('run', task), probeTimeoutMs: PROBE_TIMEOUT_MS },
          { ...streamsJvm(task.sessions), collector: 'G1' },
        ),
    };
  });
  return [...flatlines, ...peers];
}

function storeContender(store: StorePeer): LatencyContender {
  const settings = { timeoutMs: TIMEOUT_MS, probeTimeoutMs: PROBE_TIMEOUT_MS };
  return {
    name: store.name,
    isPeer: true,
    does: `${store.does}; seen by ${store.seenBy}; lacks ${store.lacks}`,
    process: (task) => store.process(task, settings),
    start: async (task) => {
      const seen: SeenClose[] = [];
      const { end } = await store.start(task, settings, (close) => seen.push(close));
      return { end, closes: () => seen };
    },
  };
}
