// kafkajs' own admin and producer, as a second opinion and as "other clients".
import { type Admin, Kafka, logLevel, type Producer } from 'kafkajs';
import { clusterOptions } from './broker.fixture.ts';

function kafkajs(): Kafka {
  // Its defaults are others under NODE_ENV=test (kafkajs 22).
  const retry = { initialRetryTime: 50, retries: 20, maxRetryTime: 500 };
  return new Kafka({
    brokers: [...clusterOptions.brokers],
    clientId: 'second-opinion',
    logLevel: logLevel.NOTHING,
    retry,
  });
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
