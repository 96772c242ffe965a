import { PartitionStopped, Retriable } from '@flatline/base';
import type { TopicPartition } from '@flatline/ports';
import { codeOf, KafkaCode, type KafkaConnection } from '../connection/index.ts';

/**
 * A broker that has not yet heard of a new topic answers UNKNOWN_TOPIC_OR_PARTITION as one does whose topic is gone.
 * @returns PartitionStopped where the metadata confirms that one of `partitions` does not exist, else `error`.
 */
export async function stoppedIfMissing(
  error: Error,
  connection: KafkaConnection,
  partitions: readonly TopicPartition[],
): Promise<Error> {
  if (codeOf(error) !== KafkaCode.unknownTopicOrPartition) return error;
  try {
    const { topics } = await connection.refresh([...new Set(partitions.map(({ topic }) => topic))]);
    const known = new Map(topics.map((each) => [each.topic, each.errorCode === 0 ? each.partitions.length : 0]));
    const missing = partitions.some(({ topic, partition }) => partition >= (known.get(topic) ?? 0));
    return missing ? new PartitionStopped(error.message, error, { isMendable: true }) : error;
  } catch (unanswered) {
    // Not confirmed: the next attempt meets the same answer, and asks again.
    if (unanswered instanceof Retriable) return error;
    throw unanswered;
  }
}
