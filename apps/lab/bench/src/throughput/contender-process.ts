// Measures one contender in a process of its own and sends the cost to the parent: `fork(this, [name, task as JSON])`.
import { readWithFlatline } from '../reader/flatline-reading.ts';
import { readWithKafkajs } from '../reader/kafkajs-reading.ts';
import type { ReadingCost, ReadingTask } from '../reader/reading-task.ts';
import type { ContenderCost, ContenderTask } from './contender-task.ts';
import type { OwnContender } from './contenders.ts';
import { processWithFlatline } from './flatline-processing.ts';
import { settledRss } from './resident-memory.ts';

const contenders: Readonly<Record<OwnContender, (task: ContenderTask) => Promise<ContenderCost>>> = {
  flatline: processWithFlatline,
  kafkajs: (task) => reading(readWithKafkajs, task),
  reader: (task) => reading(readWithFlatline, task),
};

async function reading(read: (task: ReadingTask) => Promise<ReadingCost>, task: ContenderTask): Promise<ContenderCost> {
  const { records, elapsedMs, endedAt, cpuMs } = await read(task);
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  return { records, elapsedMs, endedAt, cpuMs, peakRssBytes, rssBytes: settledRss(), processor: undefined };
}

const [name, task] = process.argv.slice(2) as [OwnContender, string];
process.send?.(await contenders[name](JSON.parse(task) as ContenderTask));
process.disconnect();
// kafkajs keeps timers; what was to be measured is measured.
process.exit(0);
