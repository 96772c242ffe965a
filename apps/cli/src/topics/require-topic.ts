import { type Clock, Fatal } from '@flatline/base';
import { type KafkaConnection, KafkaTopicAdmin, type TopicDescription } from '@flatline/kafka';
import { usageFailure } from '../failure.ts';

/** Remedy for a topic that does not exist. */
const CREATE_IT = 'create it (flatline topics create), or correct its name';
/** The group may have offsets, and then no command makes another in its place (R3). */
const LOST_CHANGELOG =
  'if it has never been there, create it (flatline topics create); if it was lost, restore it, or give its state up ' +
  '(flatline reset, with every processor stopped, then flatline topics create)';

/** @throws as `requireTopic` */
export function requireChangelog(connection: KafkaConnection, clock: Clock, topic: string): Promise<TopicDescription> {
  return requireTopic(connection, clock, topic, LOST_CHANGELOG);
}

/** A topic that a flag names. @throws CommandFailure where it does not exist, Fatal where it may not be seen. */
export async function requireTopic(
  connection: KafkaConnection,
  clock: Clock,
  topic: string,
  remedy = CREATE_IT,
): Promise<TopicDescription> {
  const [found] = await new KafkaTopicAdmin({ clock, connection }).describeTopics([topic]);
  if (found?.kind === 'present') return found;
  if (found?.kind === 'unauthorized')
    throw new Fatal(`topic ${topic} may not be described by this user: allow it DESCRIBE and DESCRIBE_CONFIGS`);
  throw usageFailure(`topic ${topic} does not exist: ${remedy}`);
}
