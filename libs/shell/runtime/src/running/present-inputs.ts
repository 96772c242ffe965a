// A process knows its input by the partition count that it had at the start: by another one every key may lie elsewhere (R3, Q1).
import { counted, Fatal } from '@flatline/base';
import type { PipelineSettings } from '../settings.ts';
import type { TaskContext } from '../task-context.ts';

/** What ends a process whose input has another partition count than when it started. */
export function otherPartitionCount({ inputTopic, inputPartitions }: PipelineSettings): Fatal {
  return new Fatal(
    `input ${inputTopic} had ${counted(inputPartitions, 'partition')} when this process started and has more now: keys have ` +
      'moved to other partitions and their sessions would be split. Use another application name and another ' +
      'output.topic, with this input topic or a new one; what there is stays as it is',
  );
}

/**
 * To be asked before a task begins to read: a partition of which nothing was read yet has no batch by which a topic that was made
 * again is recognised. Returns the ids of the inputs, which have that count and are read and no others. undefined: there is none.
 * @throws Fatal where an input has grown, Retriable
 */
export async function presentInputs({
  inputs,
  settings,
  ports,
}: TaskContext): Promise<readonly (string | undefined)[]> {
  const found = await Promise.all(inputs.map(({ topic }) => ports.admin.presentTopic(topic)));
  if (found.some(({ partitions }) => partitions > settings.inputPartitions)) throw otherPartitionCount(settings);
  return found.map(({ topicId }) => topicId);
}
