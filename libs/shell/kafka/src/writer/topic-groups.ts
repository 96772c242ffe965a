import type { TopicPartition } from '@flatline/ports';

/** The items by topic, in order of first appearance: how requests about partitions are laid out. */
export function byTopic<T extends TopicPartition>(items: readonly T[]): readonly (readonly [string, readonly T[]])[] {
  return [...Map.groupBy(items, ({ topic }) => topic)];
}

/** A map key, and the partition's name in messages. Topic names hold no slash. */
export function partitionName({ topic, partition }: TopicPartition): string {
  return `${topic}/${partition}`;
}
