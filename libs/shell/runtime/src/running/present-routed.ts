// A process routes by the partition counts of its start (P3): with others, a record and the one that cancels it may lie apart.
import { counted, Fatal, Retriable } from '@flatline/base';
import type { TaskContext } from '../task-context.ts';

/**
 * To be asked before a task begins to read, as of inputs.
 * @throws Fatal where a topic to which routes lead has another partition count than when this process started, Retriable
 */
export async function presentRouted({ settings, ports }: Pick<TaskContext, 'settings' | 'ports'>): Promise<void> {
  for (const [topic, partitions] of settings.routedPartitions ?? []) {
    const found = await ports.admin.presentTopic(topic);
    if (found.partitions === 0) throw new Retriable(`topic ${topic}, to which routes lead, is not there`);
    if (found.partitions !== partitions)
      throw new Fatal(
        `topic ${topic}, to which routes lead, had ${counted(partitions, 'partition')} when this process started and has ` +
          `${found.partitions} now: a key's next record would lie in another partition than those of processes that start ` +
          'now. Restart all processes of this application, to route by the count of now',
      );
  }
}
