// Contenders whose lateness in closing sessions is measured, and the load that each can take.
import type { DurationMs } from '@flatline/base';
import type { BenchmarkOptions } from '../benchmark.ts';
import type { SeenClose } from '../close-watch.ts';
import type { Application } from '../tasks/application.ts';
import { type Described, joined, type LineUp, peerLineUp, streamsLineUp, threadsText } from '../frame/line-up.ts';
import {
  type KafkaStreamsContender,
  kafkaStreamsArguments,
  PROMPT_STREAMS,
  startStreams,
  streamsJvm,
  streamsPace,
} from '../peers/kafka-streams.ts';
import { lookUpStore, STORE_NAMES, type StorePeer } from '../peers/store-peers.ts';
import { PROBE_TIMEOUT_MS } from '../probes.ts';
import { Instance } from '../processor/instance.ts';
import { NEVER_MS, type RunningContender } from '../tasks/instance-task.ts';
import { runOwn } from '../throughput/contenders.ts';
import type { ContenderCost, ContenderTask } from '../tasks/contender-task.ts';
import { COMMIT_INTERVAL_MS } from './latency-page.ts';

export interface LatencyContender extends Described {
  /** A peer's failure does not keep the others from being measured. */
  readonly isPeer?: boolean;
  /** Works through a full topic, for its capacity. */
  process(task: ContenderTask): Promise<Pick<ContenderCost, 'records' | 'elapsedMs'>>;
  /** Starts it, waits until it runs, and leaves it running. */
  start(application: Application, task: ContenderTask): Promise<LatencyRun>;
}

/** Contenders on Node report their cost. */
interface LatencyRun extends Pick<RunningContender, 'stop'>, Partial<Pick<RunningContender, 'beginCost' | 'cost'>> {
  /** As its own users have seen them so far; undefined: they read its output topic. */
  readonly closes?: () => readonly SeenClose[];
}

/** The defaults of commitIntervalMs and closeDelayMs. */
const FLATLINE_PACE = 'commits closes after 20 ms, and what only changed after 500';
/** The defaults, and a variant with more clock records on quiet partitions: the counterpart of the punctuators' intervals. */
const FLATLINES = [
  flatline('flatline', `exactly once, by default: ${FLATLINE_PACE}`, undefined),
  flatline(
    'flatline 25 ms',
    'proofIntervalMs is 25 in place of 100, as the punctuators have intervals of their own',
    25,
  ),
];

function flatline(name: string, does: string, proofIntervalMs: DurationMs | undefined): LatencyContender {
  return {
    name,
    does,
    process: (task) => runOwn('flatline', task),
    start: (application) => Instance.alone({ ...application, timeoutMs: PROBE_TIMEOUT_MS, proofIntervalMs }),
  };
}

export async function latencyLineUp(options: BenchmarkOptions): Promise<LineUp<LatencyContender>> {
  const streams = await streamsLineUp<LatencyContender, KafkaStreamsContender>(options, FLATLINES, {
    variants: PROMPT_STREAMS,
    how: (each) => `exactly once, ${threadsText(each)}, ${streamsPace(each, COMMIT_INTERVAL_MS)}`,
    contender: (described, program, each) => ({
      ...described,
      isPeer: true,
      process: (task) => program.run(kafkaStreamsArguments('throughput', each, task), streamsJvm(task.sessions)),
      start: (_application, task) => {
        const args = { ...kafkaStreamsArguments('run', each, task), probeTimeoutMs: PROBE_TIMEOUT_MS };
        return startStreams(program, args, { ...streamsJvm(task.sessions), collector: 'G1' });
      },
    }),
  });
  const stores = STORE_NAMES.map(async (name) => peerLineUp(name, await lookUpStore(name, options), storeContender));
  return joined(streams, ...(await Promise.all(stores)));
}

function storeContender(store: StorePeer): LatencyContender {
  const settings = { timeoutMs: NEVER_MS, probeTimeoutMs: PROBE_TIMEOUT_MS };
  return {
    name: store.name,
    isPeer: true,
    does: `${store.does}; seen by ${store.seenBy}; lacks ${store.lacks}`,
    process: (task) => store.process(task, settings),
    start: async (_application, task) => {
      const seen: SeenClose[] = [];
      const { end } = await store.start(task, settings, (close) => seen.push(close));
      return { stop: end, closes: () => seen };
    },
  };
}
