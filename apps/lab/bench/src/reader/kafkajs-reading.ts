import kafkajs from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { type ReadingCost, ReadingMeter, type ReadingTask } from './reading.ts';

/** kafkajs' consumer at its fastest: whole batches, the fetch sizes of our reader, no commits. */
export async function readWithKafkajs(task: ReadingTask): Promise<ReadingCost> {
  const { brokers, topic } = task;
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({ groupId: randomUUID(), maxBytesPerPartition: 1_048_576, maxBytes: 8_388_608 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const cost = await new Promise<ReadingCost>((resolve, reject) => {
    const meter = new ReadingMeter(task, resolve);
    const eachBatch = ({ batch }: kafkajs.EachBatchPayload): Promise<void> => {
      meter.start();
      let keyBytes = 0;
      for (const { key, timestamp } of batch.messages) {
        keyBytes += key?.length ?? 0;
        if (timestamp === '-1') throw new Error('no timestamp');
      }
      meter.add(batch.messages.length, keyBytes);
      return Promise.resolve();
    };
    consumer.run({ autoCommit: false, partitionsConsumedConcurrently: 1, eachBatch }).catch(reject);
  });
  await consumer.disconnect();
  return cost;
}
