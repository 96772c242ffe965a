import kafkajs from 'kafkajs';

export interface OpenTransaction {
  end(): Promise<void>;
  /** Takes the record back. */
  abort(): Promise<void>;
}

/** A record of another application's transaction, which stays open until it is ended: readers of the partition get no further. */
export async function openTransaction(
  brokers: readonly string[],
  { topic, partition, value = '' }: { readonly topic: string; readonly partition: number; readonly value?: string },
): Promise<OpenTransaction> {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
  const createPartitioner = kafkajs.Partitioners.DefaultPartitioner;
  const transactionalId = `${topic}-upstream`;
  const producer = kafka.producer({ transactionalId, maxInFlightRequests: 1, idempotent: true, createPartitioner });
  await producer.connect();
  const transaction = await producer.transaction();
  await transaction.send({ topic, messages: [{ key: 'upstream', value, partition }] });
  return {
    end: async () => {
      await transaction.commit();
      await producer.disconnect();
    },
    abort: async () => {
      await transaction.abort();
      await producer.disconnect();
    },
  };
}
