// Removes a benchmark's topics from a broker: they are of no use afterwards, and a long one fills a disk. Uses kafkajs, as a
// separate client: topics that peers' libraries name after an application must be listed to be found.
import { messageOf } from '@flatline/base';
import kafkajs from 'kafkajs';

/**
 * Deletes every topic with `part` in its name. If a broker forbids it, or does not answer, the measurement goes on:
 * `say` is told that they are left.
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
