// A processor in this process: its settings, its progress, and its cost.
import type { DurationMs } from '@flatline/base';
import { type FlatlineConfig, resolveConfiguration } from '@flatline/config';
import { inlineMore, type ProcessorSnapshot, type RunningProcessor, startProcessor } from '@flatline/processor';
import { systemClock } from '@flatline/system';
import { setTimeout as delay } from 'node:timers/promises';
import { PIPELINE } from '../tasks/application.ts';
import { LoopDelayMeter } from '../loop-delay.ts';
import { beginCpu, memoryAtRest } from '../process-stat.ts';
import type { ContenderCost, ContenderTask, ProcessorCost } from '../tasks/contender-task.ts';
import { type InstanceTask, NEVER_MS, type SpanCost } from '../tasks/instance-task.ts';

/** Between two looks at the progress: bounds the error of a span. */
const LOOK_MS: DurationMs = 5;
/** Without progress for this long it has failed: after kill −9 the group alone takes ten seconds. */
const STALLED_MS: DurationMs = 90_000;

/** The secret of endpoints, by the name that their tasks give it: one of 32 bytes, as most are. */
const ENVIRONMENT = { HOOK: `whsec_${Buffer.alloc(32, 'hook').toString('base64')}` };

/** Logs only failures. */
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
  const { rssBytes: rssBeforeBytes } = memoryAtRest();
  inlineMore(process);
  const processor = await startProcessor(configurationOf({ ...task, timeoutMs: NEVER_MS }), { log });
  const begin = await until(processor, (snapshot) => eventsIn(snapshot) > (task.warmUpRecords ?? 0));
  const toClose = beginCpu();
  const span = beginSpan();
  const end = await untilCommitted(processor, task.records);
  const { loopDelay, ...cost } = span();
  const endedAt = systemClock.wallMs();
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  const { rssBytes, anonymousBytes } = memoryAtRest();
  await processor.stop();
  const own = { loopDelay, rssBeforeBytes, anonymousBytes, cpuToCloseMs: toClose() };
  const records = eventsIn(end) - eventsIn(begin);
  return { records, ...cost, endedAt, peakRssBytes, rssBytes, processor: { ...commitsOf(end), ...own } };
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

export function configurationOf(task: InstanceTask): FlatlineConfig {
  const {
    application,
    brokers,
    stateDir,
    topic,
    timeoutMs = NEVER_MS,
    proofIntervalMs,
    standbys,
    compression,
    settings,
    isKeyed,
    notifier,
  } = task;
  const { instance, commitIntervalMs, schemaRegistryUrl, sessionTimeoutMs } = task;
  const output = { topic: `${application}.output`, format: 'json', compression };
  // Timeouts are those of probes: clock records of C8 would come as often as for clients that beat within a second.
  const { section = { kind: 'session', timeoutMs, unheardMs: 0 } } = task;
  // Most loads choose the partition themselves.
  const input = { topic, partitioner: isKeyed === true ? 'murmur2' : 'any' };
  const pipeline = { name: PIPELINE, ...section, proofIntervalMs, input, output, standbys, ...settings };
  const own = { application, brokers, stateDir, instance, commitIntervalMs, schemaRegistryUrl };
  // One caller asks for as much as there is: what a process takes of one is no measure of it.
  const http = { port: task.httpPort ?? 0, maxPerSecond: 1_000_000 };
  const file = { ...own, kafka: { sessionTimeoutMs }, http, pipelines: [pipeline], notifier };
  const config = resolveConfiguration(file, { source: 'flatline bench', folder: stateDir, environment: ENVIRONMENT });
  const delivering = config.notifier?.pipelines.map(({ deliveries }) => deliveries);
  return delivering === undefined ? config : { ...config, pipelines: delivering };
}

/** Events since its start: of sessions, without explicit ends; items when debouncing; grants and renewals of leases. */
export function eventsIn(snapshot: ProcessorSnapshot): number {
  const events = counted(snapshot, 'heartbeats') + counted(snapshot, 'events') - counted(snapshot, 'closedByEnd');
  const requests = counted(snapshot, 'leasesGranted') + counted(snapshot, 'leaseRenewals');
  return events + counted(snapshot, 'itemsAccepted') + requests;
}

/** Sum of a counter over all tasks; a task without counters yet counts as 0. */
export function counted({ tasks }: ProcessorSnapshot, counter: string): number {
  return tasks.reduce((sum, { counters }) => sum + (counters?.[counter] ?? 0), 0);
}

/** @throws Error if it stalls before that, with its tasks' states; or the error that ended it */
export async function until(
  processor: RunningProcessor,
  isReached: (snapshot: ProcessorSnapshot) => boolean,
): Promise<ProcessorSnapshot> {
  let progressedAtMs = performance.now();
  let state = '';
  for (;;) {
    const snapshot = processor.snapshot();
    if (isReached(snapshot)) return snapshot;
    const now = snapshot.tasks.map((task) => `${task.state} ${task.position} ${task.committedPosition}`).join();
    if (now !== state) progressedAtMs = performance.now();
    state = now;
    if (performance.now() - progressedAtMs > STALLED_MS)
      throw new Error(`the processor has stalled: ${JSON.stringify(snapshot.tasks)}`);
    await Promise.race([delay(LOOK_MS), processor.finished]);
  }
}

/** Counts events, not offsets: the processor itself adds a clock record to a partition once it has caught up. */
export async function untilCommitted(processor: RunningProcessor, events: number): Promise<ProcessorSnapshot> {
  const { tasks } = await until(processor, (snapshot) => eventsIn(snapshot) >= events);
  const applied = new Map(tasks.map(({ partition, position = Infinity }) => [partition, position]));
  return until(processor, (snapshot) =>
    snapshot.tasks.every(({ partition, committedPosition = 0 }) => committedPosition >= applied.get(partition)!),
  );
}

/** Begins a span of this process's time; the returned function ends it. */
export function beginSpan(): () => SpanCost {
  const loop = new LoopDelayMeter();
  loop.begin();
  const cost = beginCpuSpan();
  return () => ({ ...cost(), loopDelay: loop.end() });
}

/** The same, without a watch of the loop. */
export function beginCpuSpan(): () => Omit<SpanCost, 'loopDelay'> {
  const cpuMs = beginCpu();
  const startedAtMs = performance.now();
  return () => ({ elapsedMs: performance.now() - startedAtMs, cpuMs: cpuMs() });
}
