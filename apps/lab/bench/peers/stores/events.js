// Heartbeats from Kafka, at least once: an offset is committed after what lies below it is in the store.
import kafkajs from 'kafkajs';

/**
 * @param each told of at most `chunkMax` events of one partition at a time; the value of an event is not read.
 *   False: it has not dealt with them and wants no more.
 */
export async function consume({ brokers, topic, application, partitions, commitIntervalMs, chunkMax }, each) {
  const kafka = new kafkajs.Kafka({ brokers, clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING });
  const consumer = kafka.consumer({
    ...{ groupId: application, maxBytesPerPartition: 1_048_576, maxBytes: 8_388_608 },
  });
  const applied = new Map();
  const joined = new Promise((resolve) => consumer.on(consumer.events.GROUP_JOIN, resolve));
  // Not caught: the process ends with it.
  consumer.on(consumer.events.CRASH, ({ payload }) => void Promise.reject(payload.error));
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  await consumer.run({
    ...{ autoCommitInterval: commitIntervalMs, partitionsConsumedConcurrently: partitions },
    eachBatchAutoResolve: false,
    eachBatch: async ({ batch, resolveOffset, heartbeat, commitOffsetsIfNecessary }) => {
      const { messages, partition } = batch;
      for (let from = 0; from < messages.length; from += chunkMax) {
        const chunk = messages.slice(from, from + chunkMax);
        if (!(await each(eventsOf(chunk)))) return;
        const { offset } = chunk.at(-1);
        applied.set(partition, String(BigInt(offset) + 1n));
        resolveOffset(offset);
        await commitOffsetsIfNecessary();
        await heartbeat();
      }
    },
  });
  return {
    joined,
    commit: () => consumer.commitOffsets([...applied].map(([partition, offset]) => ({ topic, partition, offset }))),
  };
}

function eventsOf(messages) {
  const events = [];
  for (const { key, timestamp } of messages)
    // The input holds records without a key too: clock records of a processor that ran on it before.
    if (key !== null) events.push({ id: key.toString('latin1'), at: Number(timestamp) });
  return events;
}
