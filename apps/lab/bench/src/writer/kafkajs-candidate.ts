import kafkajs from 'kafkajs';
import {
  type CandidateWriter,
  type CommitCandidate,
  type CommitTarget,
  type CommitWorkload,
} from './commit-candidate.ts';

/** kafkajs' transactional producer, tuned as far as it can be: its defaults wait 300 ms between commits. */
const RETRY = { initialRetryTime: 10, maxRetryTime: 100, retries: 100 };
/** Its grouping is quadratic in the messages of one send (kafkajs 14). */
const MESSAGES_PER_SEND_MAX = 500;

export function kafkajsCandidate(brokers: readonly string[]): CommitCandidate {
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING, retry: RETRY });
  return {
    name: 'kafkajs 2.2.4, tuned',
    open: async (transactionalId, target) => {
      const producer = kafka.producer({ transactionalId, idempotent: true, maxInFlightRequests: 1, retry: RETRY });
      await producer.connect();
      return candidateWriter(producer, target);
    },
    close: () => Promise.resolve(),
  };
}

function candidateWriter(producer: kafkajs.Producer, target: CommitTarget): CandidateWriter {
  const { partition, changelogTopic, outputTopic } = target;
  return {
    commit: async (workload, offset) => {
      const transaction = await producer.transaction();
      const block = { key: null, value: Buffer.alloc(workload.blockBytes), partition };
      const [first = [], ...rest] = outputsOf(workload, partition);
      await transaction.sendBatch({
        topicMessages: [
          { topic: changelogTopic, messages: [block] },
          { topic: outputTopic, messages: first },
        ],
      });
      for (const messages of rest) await transaction.send({ topic: outputTopic, messages });
      await transaction.sendOffsets(offsetsOf(target, offset));
      await transaction.commit();
    },
    close: () => producer.disconnect(),
  };
}

function offsetsOf(
  { group, inputTopic, partition }: CommitTarget,
  offset: number,
): kafkajs.Offsets & { consumerGroupId: string } {
  return {
    consumerGroupId: group,
    topics: [{ topic: inputTopic, partitions: [{ partition, offset: String(offset) }] }],
  };
}

function outputsOf({ outputRecords, outputBytes }: CommitWorkload, partition: number): readonly kafkajs.Message[][] {
  const value = Buffer.alloc(outputBytes);
  const messages = Array.from({ length: outputRecords }, (_, index) => ({ key: `session-${index}`, value, partition }));
  const sends = Math.ceil(messages.length / MESSAGES_PER_SEND_MAX);
  return Array.from({ length: sends }, (_, at) =>
    messages.slice(at * MESSAGES_PER_SEND_MAX, (at + 1) * MESSAGES_PER_SEND_MAX),
  );
}
