import { describe, expect, test } from '@jest/globals';
import { Fatal, PartitionStopped, partitionOf } from '@flatline/base';
import { alterInForce } from '@flatline/dev-broker';
import { randomBytes } from 'node:crypto';
import {
  clusterOptions,
  closing,
  connect,
  createTopic,
  readCommitted,
  systemClock,
  uniqueName,
} from '../broker.fixture.ts';
import { KafkaTopicAdmin } from '../admin/kafka-topic-admin.ts';
import {
  type AnswerDecoder,
  errorOfCode,
  KafkaCode,
  KafkaConnection,
  type KafkaRequest,
  openCluster,
  type SendOptions,
} from '../connection/index.ts';
import type { Widely } from '../connection/kafka-connection.ts';
import { BatchProducer, type BatchProducerOptions } from './batch-producer.ts';
import { LossyConnection } from './lossy-connection.fixture.ts';
import { RecordTooLarge } from './topic-limit.ts';

const connection = connect();
const utf8 = new TextEncoder();
const EMPTY = new Uint8Array(0);
const numbered = (count: number): { key: Uint8Array; value: Uint8Array }[] =>
  Array.from({ length: count }, (_, index) => ({ key: utf8.encode(String(index)), value: EMPTY }));

const alter = (topic: string, bytes: string): Promise<void> =>
  alterInForce(new KafkaTopicAdmin({ clock: systemClock, connection }), [
    { topic, settings: { 'max.message.bytes': bytes } },
  ]);

/** A principal that may write, and not read settings. */
class Unprivileged extends KafkaConnection {
  override sendAny<T>(request: KafkaRequest, decode: AnswerDecoder<T>, options?: SendOptions & Widely): Promise<T> {
    if (request.apiName !== 'DescribeConfigs') return super.sendAny(request, decode, options);
    return Promise.reject(errorOfCode(KafkaCode.topicAuthorizationFailed, 'read the settings'));
  }
}

const open = (topic: string, options: Partial<BatchProducerOptions> = {}): Promise<BatchProducer> =>
  BatchProducer.open({ clock: systemClock, connection, topic, ...options });

describe('BatchProducer', () => {
  test('each record goes to the partition of its key, in order, with its own timestamp', async () => {
    const topic = await createTopic(connection, 3);
    const producer = await open(topic);
    const records = numbered(2_000).map((record, index) => ({ ...record, timestamp: 1_000_000 + index }));
    await producer.send(records);
    await producer.close();
    for (const partition of [0, 1, 2]) {
      const expected = records.filter(({ key }) => partitionOf(key, 3) === partition);
      const found = await readCommitted(connection, topic, partition);
      expect(found.map(({ key, timestamp }) => ({ key, timestamp }))).toEqual(
        expected.map(({ key, timestamp }) => ({ key: Buffer.from(key).toString(), timestamp })),
      );
    }
    expect(producer.unacknowledged).toEqual([0, 0, 0]);
  });

  test('a partition may be named, and one that does not exist is refused', async () => {
    const topic = await createTopic(connection, 2);
    const producer = await open(topic);
    await producer.send([{ key: utf8.encode('a'), value: null, partition: 1 }]);
    await producer.send([{ key: null, value: EMPTY, partition: 1, headers: [{ name: 'h', value: null }] }]);
    await producer.flush();
    expect(() => producer.add({ key: null, value: null, partition: 2 })).toThrow(/partitions 0 to 1/);
    const found = await readCommitted(connection, topic, 1);
    expect(found).toMatchObject([
      { key: 'a', value: null },
      { key: null, value: '', headers: { h: null } },
    ]);
  });

  test('what was lost on the way is sent again and is in the log once, in order', async () => {
    const topic = await createTopic(connection, 2);
    const lossy = LossyConnection.open();
    const producer = await open(topic, { connection: lossy, batchBytesMax: 2_000 });
    const records = numbered(3_000);
    for (const [index, record] of records.entries()) {
      if (index % 300 === 0) lossy.loseNext('Produce');
      await producer.send([record]);
      if (index % 1_000 === 0) await producer.flush();
    }
    await producer.close();
    expect(lossy.lost).toBeGreaterThan(0);
    for (const partition of [0, 1]) {
      const keys = (await readCommitted(connection, topic, partition)).map(({ key }) => key);
      const expected = records.filter(({ key }) => partitionOf(key, 2) === partition);
      expect(keys).toEqual(expected.map(({ key }) => Buffer.from(key).toString()));
    }
  });

  test('a full buffer makes the caller wait, and holds no more than its limit', async () => {
    const topic = await createTopic(connection);
    const producer = await open(topic, { bufferBytesMax: 50_000, batchBytesMax: 10_000 });
    let waits = 0;
    for (const record of numbered(20_000)) {
      const room = producer.add(record);
      if (room === undefined) continue;
      waits += 1;
      await room;
    }
    await producer.close();
    // 20 000 records of about 12 bytes, half the buffer each time.
    expect(waits).toBeGreaterThanOrEqual(4);
    expect(await readCommitted(connection, topic)).toHaveLength(20_000);
  });

  test('acknowledged batches are reported with their offsets', async () => {
    const topic = await createTopic(connection);
    const told: (readonly number[])[] = [];
    const producer = await open(topic, {
      batchBytesMax: 1_000,
      onAcknowledged: (...acknowledged) => told.push(acknowledged),
    });
    await producer.send(numbered(500));
    await producer.close();
    const counts = told.map(([, , count]) => count!);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(500);
    expect(told.map(([, offset]) => offset)).toEqual(
      counts.map((_, at) => counts.slice(0, at).reduce((a, b) => a + b, 0)),
    );
  });

  test.each(['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const)(
    'records compressed by %s are read by other decoders',
    async (compression) => {
      const topic = await createTopic(connection);
      const producer = await open(topic, { compression });
      await producer.send(numbered(1_000));
      await producer.close();
      const keys = (await readCommitted(connection, topic)).map(({ key }) => key);
      expect(keys).toEqual(numbered(1_000).map((_, index) => String(index)));
    },
  );

  test('an error that cannot be resolved reaches every caller, with what is unacknowledged', async () => {
    const topic = await createTopic(connection, 2, { 'max.message.bytes': '1000' });
    const producer = await open(topic);
    await producer.send([
      { key: null, value: new Uint8Array(5_000), partition: 1 },
      { key: null, value: EMPTY, partition: 1 },
    ]);
    await expect(producer.flush()).rejects.toThrow(PartitionStopped);
    await expect(producer.flush()).rejects.toThrow(/max\.message\.bytes.*not acknowledged: partition 1: 2/);
    expect(() => producer.add({ key: null, value: EMPTY })).toThrow(PartitionStopped);
    await expect(producer.close()).rejects.toThrow(PartitionStopped);
  });

  test('BP2: with `onTooLarge` such a record alone is refused, though its batch is: the others are in the log once, in order', async () => {
    const topic = await createTopic(connection, 1);
    const told: string[] = [];
    const acknowledged: number[] = [];
    const producer = await open(topic, {
      compression: 'lz4',
      onAcknowledged: (_partition, _offset, records) => void acknowledged.push(records),
      onTooLarge: (partition, { message }) => void told.push(`${partition}: ${message}`),
    });
    await alter(topic, '1000');
    const records = numbered(500).map((record, i) =>
      i % 200 === 100 ? { ...record, value: randomBytes(2_000) } : record,
    );
    await producer.send(records);
    await producer.flush();
    await producer.send(numbered(3));
    await producer.close();
    expect(told).toEqual(
      [100, 300].map((key) => expect.stringMatching(new RegExp(`^0: a record of "${key}" has 2\\d+ bytes.*1000`))),
    );
    const expected = [...records.filter(({ value }) => value.length === 0), ...numbered(3)];
    expect((await readCommitted(connection, topic)).map(({ key }) => key)).toEqual(
      expected.map(({ key }) => Buffer.from(key).toString()),
    );
    expect(acknowledged.reduce((sum, each) => sum + each, 0)).toBe(expected.length);
    expect(producer).toMatchObject({ waitingCount: 0, unacknowledged: [0] });
  });

  test.each([
    ['read', connection],
    ['unknown', closing(new Unprivileged(clusterOptions))],
  ])(
    'BP2: a batch above the limit, with no record above it, is no error without `onTooLarge`: %s',
    async (_name, through) => {
      const topic = await createTopic(connection, 1, { 'max.message.bytes': '1000' });
      const producer = await open(topic, { connection: through });
      await producer.send(numbered(500));
      await producer.close();
      const keys = (await readCommitted(connection, topic)).map(({ key }) => key);
      expect(keys).toEqual(numbered(500).map((_, index) => String(index)));
    },
  );

  test('BP2: a limit that is known is kept, and looked up again where something is above it', async () => {
    const topic = await createTopic(connection, 1, { 'max.message.bytes': '1000' });
    const producer = await open(topic, { onTooLarge: () => undefined });
    const large = { key: null, value: new Uint8Array(1_500) };
    expect(() => producer.add(large)).toThrow(/1570 bytes.*max\.message\.bytes is 1000.*1570 or more/);
    await producer.send(numbered(500));
    await alter(topic, '1570');
    const refusalOf = (): unknown => {
      try {
        void producer.add(large);
        return undefined;
      } catch (error) {
        return error;
      }
    };
    for (let error = refusalOf(); error !== undefined; error = refusalOf()) {
      expect(error).toBeInstanceOf(RecordTooLarge);
      await new Promise(setImmediate);
    }
    await producer.close();
    expect(await readCommitted(connection, topic)).toHaveLength(501);
  });

  test('BP2: without the right to read the limit the broker refuses, and the rest goes on', async () => {
    const topic = await createTopic(connection, 1, { 'max.message.bytes': '1000' });
    const told: string[] = [];
    const producer = await open(topic, {
      connection: closing(new Unprivileged(clusterOptions)),
      onTooLarge: (_partition, { message }) => void told.push(message),
    });
    await producer.send([...numbered(3), { key: null, value: new Uint8Array(1_500) }, ...numbered(2)]);
    await producer.close();
    expect(told).toEqual([expect.stringMatching(/^a record of no key has 1570 bytes.*\(max\.message\.bytes\)/)]);
    expect(await readCommitted(connection, topic)).toHaveLength(5);
  });

  test.each([
    ['read', connection],
    ['unknown', closing(new Unprivileged(clusterOptions))],
  ])('a limit that is lowered for a while makes batches smaller for that while: %s', async (_name, through) => {
    const topic = await createTopic(connection);
    let laterMs = 0;
    const counts: number[] = [];
    const producer = await open(topic, {
      clock: { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs },
      connection: through,
      onAcknowledged: (_partition, _offset, count) => void counts.push(count),
      onTooLarge: () => undefined,
    });
    const largest = async (): Promise<number> => {
      counts.length = 0;
      await producer.send(numbered(2_000));
      await producer.flush();
      return Math.max(...counts);
    };
    expect(await largest()).toBe(2_000);
    await alter(topic, '1000');
    expect(await largest()).toBeLessThan(200);
    await alter(topic, '1048588');
    expect(await largest()).toBeLessThan(200);
    do laterMs += 60_000;
    while ((await largest()) < 2_000);
    await producer.close();
  });

  test('a topic that does not exist is refused at once, with what to do', async () => {
    const topic = uniqueName('missing');
    await expect(open(topic)).rejects.toThrow(Fatal);
    await expect(open(topic)).rejects.toThrow(new RegExp(`${topic}.*create the topic`));
  });

  test('after the time limit for delivery the producer gives up and says so', async () => {
    const topic = await createTopic(connection);
    const cut = closing(openCluster(clusterOptions));
    const producer = await open(topic, { connection: cut, deliveryTimeoutMs: 200 });
    cut.close();
    await producer.send(numbered(3));
    await expect(producer.flush()).rejects.toThrow(/not acknowledged: partition 0: 3/);
  });
});
