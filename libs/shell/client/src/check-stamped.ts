import { Fatal, Misconfigured } from '@flatline/base';
import { type AdminOptions, KafkaTopicAdmin } from '@flatline/kafka';
import { noAppendTime } from './lease-not-got.ts';

/** @throws Misconfigured where the brokers do not stamp the records of the topic; Retriable where none answers. */
export async function checkStamped(topic: string, options: AdminOptions): Promise<void> {
  // An application that may not read the topic's settings learns it from its first lease.
  const [found] = await new KafkaTopicAdmin(options).describeTopics([topic]).catch((error: unknown) => {
    if (error instanceof Fatal) return [];
    throw error;
  });
  if (found?.kind === 'present' && found.timestampType !== 'LogAppendTime')
    throw new Misconfigured(`leases cannot be kept: ${noAppendTime(topic)}`);
}
