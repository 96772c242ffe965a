import { settledMemory } from '../processor/memory-parts.ts';
import { readWith } from '../reader/readers.ts';
import type { ContenderCost, ContenderTask } from './contender-task.ts';

/** Readers that take part beside processors: their task is the same, and they do a part of it. */
export async function readAsContender(name: 'kafkajs' | 'reader', task: ContenderTask): Promise<ContenderCost> {
  const { records, elapsedMs, endedAt, cpuMs } = await readWith[name === 'reader' ? 'flatline' : name](task);
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  const { rssBytes } = settledMemory();
  return { records, elapsedMs, endedAt, cpuMs, peakRssBytes, rssBytes, processor: undefined };
}
