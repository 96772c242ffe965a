// A process knows its input by the partition count that it had at the start: by another one every key may lie elsewhere (R3, Q1).
import { counted, Fatal, Retriable } from '@flatline/base';
import type { PipelineSettings } from '../settings.ts';
import type { TaskContext } from '../task-context.ts';

/** Ends a process whose input has another partition count than when it started; `now` is in words. */
export function otherPartitionCount(
  { inputTopic, inputPartitions }: PipelineSettings,
  { topic, now }: { readonly topic: string; readonly now: string } = { topic: inputTopic, now: 'more' },
): Fatal {
  return new Fatal(
    `input ${topic} had ${counted(inputPartitions, 'partition')} when this process started and has ${now} now: keys have ` +
      'moved to other partitions and their sessions would be split. Use another application name and another ' +
      'output.topic, with this input topic or a new one; what there is stays as it is',
  );
}

/**
 * To be asked before a task begins to read: a partition of which nothing was read yet has no batch by which a topic that was made
 * again is recognised. Returns the ids of the inputs, which have that count and are read and no others. undefined: there is none.
 * @throws Fatal where an input has another count, Retriable, too, while one is not there: it may be made again, with any count
 */
export async function presentInputs({
  inputs,
  settings,
  ports,
}: TaskContext): Promise<readonly (string | undefined)[]> {
  const found = await Promise.all(inputs.map(({ topic }) => ports.admin.presentTopic(topic)));
  for (const [i, { partitions }] of found.entries()) {
    const { topic } = inputs[i]!;
    if (partitions === 0) throw new Retriable(`input ${topic} is not there; restore it, or create it`);
    if (partitions !== settings.inputPartitions)
      throw otherPartitionCount(settings, { topic, now: String(partitions) });
  }
  return found.map(({ topicId }) => topicId);
}
