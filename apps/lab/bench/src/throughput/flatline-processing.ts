import type { DurationMs } from '@flatline/base';
import { type FlatlineConfig, resolveConfiguration } from '@flatline/config';
import { type ProcessorSnapshot, type RunningProcessor, startProcessor } from '@flatline/processor';
import { systemClock } from '@flatline/system';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { PIPELINE } from '../bench-topics.ts';
import { LoopDelayMeter } from '../loop-delay.ts';
import type { ContenderCost, ContenderTask, ProcessorCost } from './contender-task.ts';
import { settledRss } from './resident-memory.ts';

/** How often it is looked whether the first record that counts is read, or the last one committed: bounds the error of the span. */
const LOOK_MS: DurationMs = 5;
/** No progress for so long is a failure. */
const STALLED_MS: DurationMs = 60_000;
/** No session falls silent during a run, but every timer is armed. */
const TIMEOUT_MS: DurationMs = 3_600_000;

export const log = {
  info: () => undefined,
  warn: (message: string, facts?: object) => {
    console.error(message, facts);
  },
  error: (message: string, facts?: object) => {
    console.error(message, facts);
  },
};

/** The whole processor as `flatline run` starts it: group, transactions, changelog, local store, timers. */
export async function processWithFlatline(task: ContenderTask): Promise<ContenderCost> {
  const rssBeforeBytes = settledRss();
  const processor = await startProcessor(configurationOf(task), { log });
  const begin = await lookUntil(processor, (snapshot) => eventsApplied(snapshot) > (task.warmUpRecords ?? 0));
  const loop = new LoopDelayMeter();
  loop.begin();
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  const end = await allCommitted(processor, task.records);
  const elapsedMs = performance.now() - startedAtMs;
  const endedAt = systemClock.wallMs();
  const cpuMs = cpuSince(cpuBefore);
  const loopDelay = loop.end();
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  const rssBytes = settledRss();
  const anonymous = anonymousBytes();
  await processor.stop();
  const cpuToCloseMs = cpuSince(cpuBefore);
  return {
    records: eventsApplied(end) - eventsApplied(begin),
    elapsedMs,
    endedAt,
    cpuMs,
    peakRssBytes,
    rssBytes,
    processor: { ...commitsOf(end), loopDelay, rssBeforeBytes, anonymousBytes: anonymous, cpuToCloseMs },
  };
}

export function configurationOf({
  application,
  brokers,
  stateDir,
  topic,
  commitIntervalMs,
  schemaRegistryUrl,
}: ContenderTask): FlatlineConfig {
  const input = { topic, timestampType: 'LogAppendTime' };
  const output = { topic: `${application}.output`, format: 'json' };
  const pipeline = { name: PIPELINE, kind: 'session', timeoutMs: TIMEOUT_MS, input, output };
  const http = { port: 0 };
  const file = { application, brokers, stateDir, commitIntervalMs, schemaRegistryUrl, http, pipelines: [pipeline] };
  return resolveConfiguration(file, { source: 'flatline bench', folder: stateDir, environment: {} });
}

/** The processor itself adds a clock record to a partition when it has caught up: events are counted, not offsets. */
async function allCommitted(processor: RunningProcessor, events: number): Promise<ProcessorSnapshot> {
  const { tasks } = await lookUntil(processor, (snapshot) => eventsApplied(snapshot) >= events);
  const applied = new Map(tasks.map(({ partition, position = Infinity }) => [partition, position]));
  return lookUntil(processor, (snapshot) =>
    snapshot.tasks.every(({ partition, committedPosition = 0 }) => committedPosition >= applied.get(partition)!),
  );
}

async function lookUntil(
  processor: RunningProcessor,
  isReached: (snapshot: ProcessorSnapshot) => boolean,
): Promise<ProcessorSnapshot> {
  let progressed = performance.now();
  let read = 0;
  for (;;) {
    const snapshot = processor.snapshot();
    if (isReached(snapshot)) return snapshot;
    if (eventsApplied(snapshot) > read) progressed = performance.now();
    read = eventsApplied(snapshot);
    if (performance.now() - progressed > STALLED_MS)
      throw new Error(`the processor has stalled: ${JSON.stringify(snapshot.tasks)}`);
    await Promise.race([delay(LOOK_MS), processor.finished]);
  }
}

function eventsApplied({ tasks }: ProcessorSnapshot): number {
  return tasks.reduce((sum, { counters }) => sum + (counters?.['heartbeats'] ?? 0) + (counters?.['events'] ?? 0), 0);
}

function commitsOf({
  tasks,
}: ProcessorSnapshot): Pick<ProcessorCost, 'liveSessions' | 'commits' | 'commitP50Ms' | 'commitP99Ms'> {
  const commits = tasks.flatMap((task) => task.commits ?? []);
  const medians = commits.map(({ p50Ms }) => p50Ms).sort((a, b) => a - b);
  return {
    liveSessions: tasks.reduce((sum, { liveEntries }) => sum + liveEntries, 0),
    commits: commits.reduce((sum, { count }) => sum + count, 0),
    commitP50Ms: medians[medians.length >> 1] ?? 0,
    commitP99Ms: Math.max(0, ...commits.map(({ p99Ms }) => p99Ms)),
  };
}

function cpuSince(before: NodeJS.CpuUsage): DurationMs {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function anonymousBytes(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  const found = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return found === null ? undefined : Number(found[1]) * 1024;
}
