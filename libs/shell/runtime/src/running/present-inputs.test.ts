import { describe, expect, test } from '@jest/globals';
import { Fatal, Retriable } from '@flatline/base';
import type { TaskContext } from '../task-context.ts';
import { presentInputs } from './present-inputs.ts';

/** Asks for inputs that had three partitions at the start, and have so many now. */
function asked(counts: Readonly<Record<string, number>>): Promise<readonly (string | undefined)[]> {
  const presentTopic = (topic: string) => Promise.resolve({ partitions: counts[topic]!, topicId: `id of ${topic}` });
  const context = {
    inputs: Object.keys(counts).map((topic) => ({ topic })),
    settings: { inputTopic: 'beats', inputPartitions: 3 },
    ports: { admin: { presentTopic } },
  };
  return presentInputs(context as unknown as TaskContext);
}

describe('[R3][Q1] inputs, before a task begins to read', () => {
  test('[Q1] are read by their ids where each has its count', async () => {
    expect(await asked({ beats: 3, carts: 3 })).toEqual(['id of beats', 'id of carts']);
  });

  test.each([4, 2])('[R3] end the process where one was made again with %d partitions instead of 3', async (now) => {
    const failed = asked({ beats: 3, carts: now });
    await expect(failed).rejects.toThrow(Fatal);
    await expect(failed).rejects.toThrow(`input carts had 3 partitions when this process started and has ${now} now`);
  });

  test('[R3] are waited for where one is not there: made again it may have another count', async () => {
    await expect(asked({ beats: 3, carts: 0 })).rejects.toThrow(Retriable);
  });
});
