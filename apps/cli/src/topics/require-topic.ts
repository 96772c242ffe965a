import { type Clock, Fatal } from '@flatline/base';
import { type KafkaConnection, KafkaTopicAdmin, type TopicDescription } from '@flatline/kafka';
import { usageFailure } from '../failure.ts';

/** A topic that a flag names. @throws CommandFailure where it does not exist, Fatal where it may not be seen. */
export async function requireTopic(
  connection: KafkaConnection,
  clock: Clock,
  topic: string,
): Promise<TopicDescription> {
  const [found] = await new KafkaTopicAdmin({ clock, connection }).describeTopics([topic]);
  if (found?.kind === 'present') return found;
  if (found?.kind === 'unauthorized')
    throw new Fatal(`topic ${topic} may not be described by this user: allow it DESCRIBE and DESCRIBE_CONFIGS`);
  throw usageFailure(`topic ${topic} does not exist: create it (flatline topics create), or correct its name`);
}
