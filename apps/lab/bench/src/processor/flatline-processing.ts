import { type ProcessorSnapshot, startProcessor } from '@flatline/processor';
import { systemClock } from '@flatline/system';
import type { ContenderCost, ContenderTask, ProcessorCost } from '../throughput/contender-task.ts';
import { NEVER_MS } from './instance-task.ts';
import { settledMemory } from '../process-stat.ts';
import { beginCpu, beginSpan, configurationOf, eventsIn, log, until, untilCommitted } from './watching.ts';

/** The whole processor as `flatline run` starts it: group, transactions, changelog, local store, timers. */
export async function processWithFlatline(task: ContenderTask): Promise<ContenderCost> {
  const { rssBytes: rssBeforeBytes } = settledMemory();
  const processor = await startProcessor(configurationOf({ ...task, timeoutMs: NEVER_MS }), { log });
  const begin = await until(processor, (snapshot) => eventsIn(snapshot) > (task.warmUpRecords ?? 0));
  const toClose = beginCpu();
  const span = beginSpan();
  const end = await untilCommitted(processor, task.records);
  const { loopDelay, ...cost } = span();
  const endedAt = systemClock.wallMs();
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  const { rssBytes, anonymousBytes } = settledMemory();
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
