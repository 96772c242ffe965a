// What a benchmark has written to a broker is of no use to anyone after it, and a long one fills a disk. By kafkajs, as a
// client of its own: what peers' libraries name after an application has to be listed to be found.
import { messageOf } from '@flatline/base';
import kafkajs from 'kafkajs';

/**
 * Deletes every topic whose name has `part` in it. A broker that forbids it, or does not answer, is measured all
 * the same: `say` is told that they are left.
 */
export async function removeTopics(
  brokers: readonly string[],
  part: string,
  say: (message: string) => void,
): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  try {
    await admin.connect();
    const topics = (await admin.listTopics()).filter((name) => name.includes(part));
    if (topics.length > 0) await admin.deleteTopics({ topics });
  } catch (error) {
    say(`topics named ${part} are left on the broker: ${messageOf(error)}`);
  } finally {
    await admin.disconnect();
  }
}
