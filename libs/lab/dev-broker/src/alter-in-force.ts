// For tests that alter a topic and need the brokers to act by it at once.
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
 * Alters topics and resolves once their broker acts by it. A broker shows a new setting before its logs have it
 * (BrokerMetadataPublisher of KIP-631: the metadata cache first, configurations last), so a record sent at once may still
 * be judged by the old one. It applies one change of metadata after the other: what it shows of a later one proves that
 * this one is in force. On several brokers only the one that leads the later topic is known to be that far.
 */
export async function alterInForce<Change>(admin: Alters<Change>, changes: readonly Change[]): Promise<void> {
  await admin.alterSettings(changes);
  await admin.createTopics([{ topic: `later-${randomUUID()}`, partitions: 1, replicationFactor: 1 }]);
}
