// What a benchmark has written to a broker is of no use to anyone after it, and a long one fills a disk.
import kafkajs from 'kafkajs';

/** Deletes every topic whose name has `part` in it: of an application, with those that its peers' libraries name after it. */
export async function removeTopics(brokers: readonly string[], part: string): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  try {
    const topics = (await admin.listTopics()).filter((name) => name.includes(part));
    // A broker that lets nobody delete topics is measured all the same, and keeps them.
    if (topics.length > 0) await admin.deleteTopics({ topics }).catch(() => undefined);
  } finally {
    await admin.disconnect();
  }
}
