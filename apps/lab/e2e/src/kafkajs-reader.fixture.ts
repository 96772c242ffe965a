import kafkajs from 'kafkajs';

/** Keys of the first `count` records with a value, read by plain kafkajs: no codec, group or fetch size of ours. */
export async function readWithKafkajs(brokers: readonly string[], topic: string, count: number): Promise<string[]> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: `plain-kafkajs-${topic}` });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const keys: string[] = [];
  try {
    await new Promise<void>((resolve, reject) => {
      // A missing codec is a crash, after which it would restart for ever.
      consumer.on(consumer.events.CRASH, ({ payload }) => {
        reject(payload.error);
      });
      const eachMessage = ({ message }: kafkajs.EachMessagePayload): Promise<void> => {
        if (message.value !== null && keys.length < count) keys.push(String(message.key));
        if (keys.length === count) resolve();
        return Promise.resolve();
      };
      consumer.run({ eachMessage }).catch(reject);
    });
    return keys;
  } finally {
    await consumer.disconnect();
  }
}
