import { KafkaLogReader } from '@flatline/kafka';
import type { LogSubscription } from '@flatline/ports';
import { systemClock } from '@flatline/system';
import { memoryAtRest } from '../process-stat.ts';
import type { ContenderCost, ContenderTask } from '../tasks/contender-task.ts';
import { readWithKafkajs } from './kafkajs-reading.ts';
import { type Reader, type ReadingCost, ReadingMeter, type ReadingTask } from './reading.ts';

export const readWith: Readonly<Record<Reader, (task: ReadingTask) => Promise<ReadingCost>>> = {
  flatline: readWithFlatline,
  kafkajs: readWithKafkajs,
};

/** Walks every record in place, as a task does: key by offset and length, timestamp, no object made. */
async function readWithFlatline(task: ReadingTask): Promise<ReadingCost> {
  const { brokers, topic, partitions } = task;
  const reader = new KafkaLogReader({ brokers, clientId: 'bench', clock: systemClock, reusesAnswers: true });
  const cost = await new Promise<ReadingCost>((resolve, reject) => {
    const meter = new ReadingMeter(task, resolve);
    for (let partition = 0; partition < partitions; partition += 1) {
      const subscription = reader.subscribe({ topic, partition }, 0);
      subscription.onChange(() => {
        meter.start();
        walk(subscription, meter);
        if (subscription.failure !== undefined) reject(subscription.failure);
      });
    }
  });
  await reader.close();
  return cost;
}

function walk(subscription: LogSubscription, meter: ReadingMeter): void {
  for (let fetched = subscription.take(); fetched !== undefined; fetched = subscription.take()) {
    const { cursor } = fetched;
    let records = 0;
    let keyBytes = 0;
    while (cursor.next()) {
      records += 1;
      keyBytes += cursor.keyLength;
      if (cursor.timestamp < 0) throw new Error(`offset ${cursor.offset} has no timestamp`);
    }
    meter.add(records, keyBytes);
  }
}

/** Readers that take part beside processors: they get the same task, and do a part of it. */
export async function readAsContender(name: 'kafkajs' | 'reader', task: ContenderTask): Promise<ContenderCost> {
  const { records, elapsedMs, endedAt, cpuMs } = await readWith[name === 'reader' ? 'flatline' : name](task);
  const peakRssBytes = process.resourceUsage().maxRSS * 1024;
  const { rssBytes } = memoryAtRest();
  return { records, elapsedMs, endedAt, cpuMs, peakRssBytes, rssBytes, processor: undefined };
}
