// A consumer that reads outputs and produces a record of each, exactly once: written as kafkajs' users would, a transaction for each
// batch that is fetched, with the position in it.
import kafkajs from 'kafkajs';
import { randomUUID } from 'node:crypto';
import { ServiceMeter } from '../tasks/service-task.ts';
import type { RelayCost, RelayTask } from './relay-task.ts';

export async function relayWithKafkajs(task: RelayTask): Promise<RelayCost> {
  const { brokers, from, to, outputs, warmUpOutputs } = task;
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING });
  const groupId = randomUUID();
  const consumer = kafka.consumer({ groupId, maxBytes: 8_388_608, readUncommitted: false });
  const producer = kafka.producer({
    transactionalId: groupId,
    idempotent: true,
    maxInFlightRequests: 1,
    createPartitioner: kafkajs.Partitioners.DefaultPartitioner,
  });
  await Promise.all([consumer.connect(), producer.connect()]);
  await consumer.subscribe({ topic: from, fromBeginning: true });
  const cost = await new Promise<RelayCost>((resolve, reject) => {
    const meter = new ServiceMeter();
    let relayed = 0;
    let counted = 0;
    const eachBatch = async (payload: kafkajs.EachBatchPayload): Promise<void> => {
      const { batch } = payload;
      const messages = batch.messages.flatMap(({ key, value }) => (value === null ? [] : [relayedOf(key!, value)]));
      const next = (BigInt(batch.lastOffset()) + 1n).toString();
      const transaction = await producer.transaction();
      if (messages.length > 0) await transaction.send({ topic: to, messages });
      const topics = [{ topic: from, partitions: [{ partition: batch.partition, offset: next }] }];
      await transaction.sendOffsets({ consumerGroupId: groupId, topics });
      await transaction.commit();
      payload.resolveOffset(batch.lastOffset());
      const isBegun = relayed >= warmUpOutputs;
      relayed += messages.length;
      if (isBegun) counted += messages.length;
      else if (relayed >= warmUpOutputs) meter.start();
      if (relayed === outputs) {
        const { elapsedMs, cpuMs } = meter.cost(counted);
        resolve({ outputs: counted, elapsedMs, cpuMs });
      }
    };
    // Partitions one after the other: a producer has one transaction at a time.
    consumer.run({ autoCommit: false, partitionsConsumedConcurrently: 1, eachBatch }).catch(reject);
  });
  await Promise.all([consumer.disconnect(), producer.disconnect()]);
  return cost;
}

/** The record that the measured route makes of an output. */
function relayedOf(key: Buffer, value: Buffer): kafkajs.Message {
  const summary = JSON.parse(value.toString()) as { readonly reason: string };
  if (summary.reason === '') throw new Error('a summary has no reason');
  return { key, value, headers: { 'flatline-delay-ms': '3600000' } };
}
