// For tests that alter a topic and need the change in force at once.
import { randomUUID } from 'node:crypto';

interface NewTopic {
  readonly topic: string;
  readonly partitions: number;
  readonly replicationFactor: number;
}

/** The part of KafkaTopicAdmin, which this project cannot import, that alters and creates. */
interface Alters<Change> {
  alterSettings(changes: readonly Change[]): Promise<void>;
  createTopics(topics: readonly NewTopic[]): Promise<unknown>;
}

/**
 * Alters topics and resolves once their broker applies it. A broker shows a new setting before its logs have it
 * (BrokerMetadataPublisher of KIP-631: the metadata cache first, configurations last), so a record sent at once may still
 * be judged by the old one. It applies one change of metadata after the other: once it shows a later one, this one is in
 * force. With several brokers this is certain only of the one that leads the later topic.
 */
export async function alterInForce<Change>(admin: Alters<Change>, changes: readonly Change[]): Promise<void> {
  await admin.alterSettings(changes);
  await admin.createTopics([{ topic: `later-${randomUUID()}`, partitions: 1, replicationFactor: 1 }]);
}
