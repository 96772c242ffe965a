// The broker of a benchmark, and the CPU time of its processes: the cost of a contender there, which no figure of its own process
// tells.
//
// Sampled while contenders run, since most of them say only at their end which span they measured. Nothing else may use the
// broker meanwhile. Brokers of the environment, in containers, or on a system without /proc are not seen: undefined, never 0.
import { type DurationMs, type Millis } from '@flatline/base';
import { ensureBroker } from '@flatline/dev-broker';
import { type KafkaConnection, type KafkaOptions, openCluster } from '@flatline/kafka';
import { systemClock } from '@flatline/system';
import { processCpuMs } from './process-stat.ts';

export interface BenchCluster {
  readonly brokers: readonly string[];
  readonly kafka: KafkaOptions;
  readonly connection: KafkaConnection;
  readonly brokerCpu: BrokerCpu;
  /** Set if one was asked for. */
  readonly schemaRegistryUrl: string | undefined;
}

interface BenchClusterOptions {
  readonly onProgress: (what: string) => void;
  readonly registry?: boolean;
}

/** Gives `measure` a broker, and ends it afterwards. @throws Fatal, Retriable if none can be started; any error of `measure` */
export async function onBenchCluster<T>(
  { onProgress, registry = false }: BenchClusterOptions,
  measure: (cluster: BenchCluster) => Promise<T>,
): Promise<T> {
  const broker = await ensureBroker({ ephemeral: true, registry, log: onProgress });
  const brokers = broker.bootstrap.split(',');
  const kafka: KafkaOptions = { brokers, clientId: 'flatline-bench', clock: systemClock };
  const connection = openCluster(kafka);
  try {
    const brokerCpu = new BrokerCpu(broker.nodes.map(({ pid }) => pid));
    return await measure({ brokers, kafka, connection, brokerCpu, schemaRegistryUrl: broker.registryUrl });
  } finally {
    connection.close();
    await broker.stop();
  }
}

/** `at`: by the wall clock, which other processes share. */
export interface CpuSample {
  readonly at: Millis;
  readonly cpuMs: DurationMs;
}

const SAMPLE_EVERY_MS: DurationMs = 50;
/** An hour of samples: no turn is longer. */
const SAMPLES_MAX = 72_000;

export class BrokerCpu {
  readonly #pids: readonly (number | undefined)[];

  /** @param pids of all of its nodes; empty: their CPU time is not visible */
  constructor(pids: readonly (number | undefined)[]) {
    this.#pids = pids;
  }

  /** So far, of all nodes together. */
  nowMs(): DurationMs | undefined {
    if (this.#pids.length === 0) return undefined;
    return this.#pids
      .map(processCpuMs)
      .reduce((sum, each) => (sum === undefined || each === undefined ? undefined : sum + each));
  }

  /** @param before an earlier result of `nowMs` */
  sinceMs(before: DurationMs | undefined): DurationMs | undefined {
    const now = this.nowMs();
    return now === undefined || before === undefined ? undefined : now - before;
  }

  /** Runs `turn`, and returns the CPU time of a span of it. */
  async during<T>(turn: () => Promise<T>, spanOf: (result: T) => Span): Promise<readonly [T, DurationMs | undefined]> {
    const samples: CpuSample[] = [];
    const sample = (): void => {
      const cpuMs = this.nowMs();
      if (cpuMs !== undefined && samples.length < SAMPLES_MAX) samples.push({ at: systemClock.wallMs(), cpuMs });
    };
    sample();
    const timer = setInterval(sample, SAMPLE_EVERY_MS);
    try {
      const result = await turn();
      sample();
      return [result, cpuWithin(samples, spanOf(result))];
    } finally {
      clearInterval(timer);
    }
  }
}

export interface Span {
  readonly endedAt: Millis;
  readonly elapsedMs: DurationMs;
}

/** Interpolates linearly between samples. Undefined if the span is not within them. Pure. */
export function cpuWithin(samples: readonly CpuSample[], { endedAt, elapsedMs }: Span): DurationMs | undefined {
  const [from, to] = [cpuAt(samples, endedAt - elapsedMs), cpuAt(samples, endedAt)];
  return from === undefined || to === undefined ? undefined : to - from;
}

function cpuAt(samples: readonly CpuSample[], at: Millis): DurationMs | undefined {
  const after = samples.findIndex((sample) => sample.at >= at);
  const next = samples[after];
  if (next === undefined) return undefined;
  if (next.at === at) return next.cpuMs;
  const last = samples[after - 1];
  if (last === undefined) return undefined;
  return last.cpuMs + ((next.cpuMs - last.cpuMs) * (at - last.at)) / (next.at - last.at);
}
