// The CPU time of the broker's processes: the cost of a contender there, which no figure of its own process tells; and the part of
// it that the broker took to compile itself, of which a broker that has run for weeks takes next to none.
//
// Sampled while contenders run, since most of them say only at their end which span they measured. Nothing else may use the
// broker meanwhile. Brokers of the environment, in containers, or on a system without /proc are not seen: undefined, never 0.
import { type DurationMs, type Millis } from '@flatline/base';
import { systemClock } from '@flatline/system';
import { CompilerThreads } from './compiler-threads.ts';
import { processCpuMs, threadsOf } from './process-stat.ts';

/** So far, of all nodes together. */
export interface BrokerTimes {
  readonly cpuMs: DurationMs;
  /** Undefined unless each of them has compiler threads. */
  readonly compilingMs: DurationMs | undefined;
}

/** `at`: by the wall clock, which other processes share. */
export interface CpuSample extends BrokerTimes {
  readonly at: Millis;
}

/** Over a span; undefined where it is not visible. */
export interface BrokerSpent {
  readonly brokerCpuMs: DurationMs | undefined;
  /** Part of the former. */
  readonly brokerCompilingMs: DurationMs | undefined;
}

/** Over a span that is visible. */
export interface BrokerSeen extends BrokerSpent {
  readonly brokerCpuMs: DurationMs;
}

const SAMPLE_EVERY_MS: DurationMs = 50;
/** An hour of samples: no turn is longer. */
const SAMPLES_MAX = 72_000;
/** A compiler's thread that has nothing to do ends after seconds, and takes with it what was not seen of it. */
const WATCH_EVERY_MS: DurationMs = 1_000;
const UNSEEN: BrokerSpent = { brokerCpuMs: undefined, brokerCompilingMs: undefined };

export class BrokerCpu {
  readonly #pids: readonly (number | undefined)[];
  readonly #compilers: readonly CompilerThreads[];

  /** @param pids of all of its nodes; empty: their CPU time is not visible */
  constructor(pids: readonly (number | undefined)[]) {
    this.#pids = pids;
    this.#compilers = pids.map((pid) => new CompilerThreads(threadsOf(pid)));
  }

  /** Undefined unless all nodes are seen. */
  now(): BrokerTimes | undefined {
    const cpuMs = total(this.#pids.map(processCpuMs));
    if (cpuMs === undefined) return undefined;
    return { cpuMs, compilingMs: total(this.#compilers.map((each) => each.nowMs())) };
  }

  /** @param before an earlier result of `now` */
  since(before: BrokerTimes | undefined): BrokerSpent {
    const now = this.now();
    return now === undefined || before === undefined ? UNSEEN : spentBetween(before, now);
  }

  /** Follows its compilers' threads until the returned function is called. */
  watch(): () => void {
    const timer = setInterval(() => this.now(), WATCH_EVERY_MS).unref();
    return () => {
      clearInterval(timer);
    };
  }

  /** Runs `turn`, and returns the CPU time of a span of it. */
  async during<T>(turn: () => Promise<T>, spanOf: (result: T) => Span): Promise<readonly [T, BrokerSpent]> {
    const samples: CpuSample[] = [];
    const sample = (): void => {
      const times = this.now();
      if (times !== undefined && samples.length < SAMPLES_MAX) samples.push({ at: systemClock.wallMs(), ...times });
    };
    sample();
    const timer = setInterval(sample, SAMPLE_EVERY_MS);
    try {
      const result = await turn();
      sample();
      return [result, spentWithin(samples, spanOf(result))];
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
export function spentWithin(samples: readonly CpuSample[], { endedAt, elapsedMs }: Span): BrokerSpent {
  const [from, to] = [timesAt(samples, endedAt - elapsedMs), timesAt(samples, endedAt)];
  return from === undefined || to === undefined ? UNSEEN : spentBetween(from, to);
}

function timesAt(samples: readonly CpuSample[], at: Millis): BrokerTimes | undefined {
  const after = samples.findIndex((sample) => sample.at >= at);
  const next = samples[after];
  if (next === undefined) return undefined;
  if (next.at === at) return next;
  const last = samples[after - 1];
  if (last === undefined) return undefined;
  const share = (at - last.at) / (next.at - last.at);
  const { brokerCpuMs, brokerCompilingMs } = spentBetween(last, next);
  return {
    cpuMs: last.cpuMs + share * brokerCpuMs,
    compilingMs: brokerCompilingMs === undefined ? undefined : last.compilingMs! + share * brokerCompilingMs,
  };
}

export function spentBetween(before: BrokerTimes, after: BrokerTimes): BrokerSeen {
  const compiling = [before.compilingMs, after.compilingMs] as const;
  return {
    brokerCpuMs: after.cpuMs - before.cpuMs,
    brokerCompilingMs:
      compiling[0] === undefined || compiling[1] === undefined ? undefined : compiling[1] - compiling[0],
  };
}

/** Undefined if there are none, or one is not known. */
function total(each: readonly (DurationMs | undefined)[]): DurationMs | undefined {
  if (each.length === 0) return undefined;
  return each.reduce((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one));
}
