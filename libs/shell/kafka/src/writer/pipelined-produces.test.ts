import { expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import type { OutgoingRecords } from '@flatline/ports';
import {
  clusterOptions,
  closing,
  connect,
  createTopic,
  readCommitted,
  systemClock,
  uniqueName,
} from '../broker.fixture.ts';
import type { AnswerDecoder, KafkaRequest, SendOptions } from '../connection/index.ts';
import { KafkaConnection } from '../connection/kafka-connection.ts';
import { KafkaTransactionalWriters } from './transactional-writers.ts';

/** Counts the produce requests under way, and loses the answer to one of them. */
class CountingConnection extends KafkaConnection {
  /** At the moment each request was sent, itself included. */
  readonly underWay: number[] = [];
  #count = 0;
  readonly #loses: number | undefined;

  constructor(loses?: number) {
    super(clusterOptions);
    this.#loses = loses;
  }

  override async send<T>(
    nodeId: number,
    request: KafkaRequest,
    decode: AnswerDecoder<T>,
    options?: SendOptions,
  ): Promise<T> {
    if (request.apiName !== 'Produce') return super.send(nodeId, request, decode, options);
    this.#count += 1;
    const number = this.underWay.push(this.#count);
    try {
      const answer = await super.send(nodeId, request, decode, options);
      if (number === this.#loses) throw new Retriable('the answer was lost');
      return answer;
    } finally {
      this.#count -= 1;
    }
  }
}

const RECORDS = 40;
const REQUEST_BYTES = 20_000;

function writeOf(topic: string, name: string): OutgoingRecords {
  const value = new Uint8Array(7_000);
  const records = Array.from({ length: RECORDS }, (_, i) => ({ key: Buffer.from(`${name}${i}`), value }));
  return { topic, partition: 0, records };
}

const numbered = (name: string): string[] => Array.from({ length: RECORDS }, (_, i) => `${name}${i}`);

test('[kafkajs 2] of a leader up to five produce requests are under way, the first alone, and records keep their order', async () => {
  const topic = await createTopic(connect());
  const connection = closing(new CountingConnection());
  const options = { clock: systemClock, connections: [connection], requestBytesMax: REQUEST_BYTES };
  const writer = await new KafkaTransactionalWriters(options).open(uniqueName('id'));
  const [offsets] = await writer.commit({ writes: [writeOf(topic, 'a')], offsets: [] });
  expect(offsets).toEqual(Array.from({ length: RECORDS }, (_, i) => i));
  expect(connection.underWay.slice(0, 6)).toEqual([1, 1, 2, 3, 4, 5]);
  expect(Math.max(...connection.underWay)).toBe(5);
  expect((await readCommitted(connection, topic)).map(({ key }) => key)).toEqual(numbered('a'));
});

test('[kafkajs 2] where the answer to one of them is lost the writer is dead, and nothing of the transaction is seen', async () => {
  const topic = await createTopic(connect());
  const connection = closing(new CountingConnection(4));
  const options = { clock: systemClock, connections: [connection], requestBytesMax: REQUEST_BYTES };
  const writers = new KafkaTransactionalWriters(options);
  const id = uniqueName('id');
  const writer = await writers.open(id);
  await expect(writer.commit({ writes: [writeOf(topic, 'lost')], offsets: [] })).rejects.toThrow('answer was lost');
  await expect(writer.commit({ writes: [writeOf(topic, 'more')], offsets: [] })).rejects.toThrow('no more commits');
  const successor = await writers.open(id);
  await successor.commit({ writes: [writeOf(topic, 'kept')], offsets: [] });
  expect((await readCommitted(connection, topic)).map(({ key }) => key)).toEqual(numbered('kept'));
});

test('[O6] a writer for which more time is asked than the brokers allow gets less, and says what', async () => {
  const writers = new KafkaTransactionalWriters({ clock: systemClock, connections: [connect()] });
  expect((await writers.open(uniqueName('id'))).timeoutMs).toBe(10_000);
  expect((await writers.open(uniqueName('id'), 40_000)).timeoutMs).toBe(40_000);
  // The broker's transaction.max.timeout.ms is its default, a quarter of an hour.
  expect((await writers.open(uniqueName('id'), 2_400_000)).timeoutMs).toBe(600_000);
});
