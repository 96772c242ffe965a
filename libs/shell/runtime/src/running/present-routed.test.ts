import { expect, test } from '@jest/globals';
import { Fatal, Retriable } from '@flatline/base';
import type { TaskContext } from '../task-context.ts';
import { presentRouted } from './present-routed.ts';

/** A cluster whose topics have these partition counts now. */
function contextOf(now: Readonly<Record<string, number>>, routed?: Readonly<Record<string, number>>) {
  const presentTopic = (topic: string) => Promise.resolve({ partitions: now[topic] ?? 0, topicId: undefined });
  const settings = routed && { routedPartitions: new Map(Object.entries(routed)) };
  return { settings: settings ?? {}, ports: { admin: { presentTopic } } } as unknown as TaskContext;
}

test('[P3] a task begins where topics to which routes lead have the counts of the start', async () => {
  await expect(presentRouted(contextOf({}))).resolves.toBeUndefined();
  await expect(presentRouted(contextOf({ a: 2, b: 3 }, { a: 2, b: 3 }))).resolves.toBeUndefined();
});

test.each([5, 1])('[P3] the process ends where one of 2 has %d now', async (now) => {
  const began = presentRouted(contextOf({ a: 1, reminders: now }, { a: 1, reminders: 2 }));
  await expect(began).rejects.toThrow(Fatal);
  await expect(began).rejects.toThrow(
    `topic reminders, to which routes lead, had 2 partitions when this process started and has ${now} now`,
  );
});

test('[P3] a task tries again where one is not there', async () => {
  await expect(presentRouted(contextOf({}, { reminders: 2 }))).rejects.toThrow(Retriable);
});
