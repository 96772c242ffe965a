// A real broker for the tests of this library: KAFKA_BROKERS, which the Jest setup of @flatline/dev-broker sees to.
import { randomBytes } from 'node:crypto';
import type { Cancel, Clock } from '@flatline/base';
import { type Admin, Kafka, logLevel, type Producer } from 'kafkajs';
import { type KafkaConnection, openCluster } from '../connection/kafka-connection.ts';
import type { KafkaOptions } from '../connection/kafka-options.ts';

export const realClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback): Cancel => {
    const timer = setTimeout(callback, delayMs);
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};

export function bootstrap(): readonly string[] {
  const brokers = process.env['KAFKA_BROKERS'];
  if (brokers === undefined) throw new Error('KAFKA_BROKERS is not set, and the Jest setup started no broker');
  return brokers.split(',');
}

export function kafkaOptions(overrides: Partial<KafkaOptions> = {}): KafkaOptions {
  return { brokers: bootstrap(), clientId: 'flatline-test', clock: realClock, ...overrides };
}

/** Runs `use` with a connection of its own. */
export async function withConnection<T>(use: (connection: KafkaConnection) => Promise<T>): Promise<T> {
  const connection = openCluster(kafkaOptions());
  try {
    return await use(connection);
  } finally {
    connection.close();
  }
}

/** kafkajs' own client, as a second opinion. */
function kafkajs(): Kafka {
  // Its producers choose other retries under NODE_ENV=test (kafkajs.md 22).
  const retry = { initialRetryTime: 50, retries: 20, maxRetryTime: 500 };
  return new Kafka({ brokers: [...bootstrap()], clientId: 'second-opinion', logLevel: logLevel.NOTHING, retry });
}

export async function withAdmin<T>(use: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = kafkajs().admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}

export async function withProducer<T>(use: (producer: Producer) => Promise<T>, transactionalId?: string): Promise<T> {
  const transactional =
    transactionalId === undefined ? {} : { transactionalId, idempotent: true, maxInFlightRequests: 1 };
  const producer = kafkajs().producer({ allowAutoTopicCreation: false, ...transactional });
  await producer.connect();
  try {
    return await use(producer);
  } finally {
    await producer.disconnect();
  }
}

/** A topic no other test uses. */
export async function freshTopic(partitions = 1, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const topic = `reading-${randomBytes(6).toString('hex')}`;
  const configEntries = Object.entries(settings).map(([name, value]) => ({ name, value }));
  await withAdmin((admin) =>
    admin.createTopics({ waitForLeaders: true, topics: [{ topic, numPartitions: partitions, configEntries }] }),
  );
  return topic;
}
