import { describe, expect, test } from '@jest/globals';
import { PartitionStopped } from '@flatline/base';
import type { LogSubscription } from '@flatline/ports';
import { closing, clusterOptions, connect, createTopic, systemClock } from '../broker.fixture.ts';
import { withAdmin, withProducer } from '../kafkajs.fixture.ts';
import { KafkaLogAdmin } from '../admin/kafka-log-admin.ts';
import { KafkaTopicAdmin } from '../admin/kafka-topic-admin.ts';
import { changeOf, failureOf, readUntil } from './reading.fixture.ts';
import { KafkaLogReader } from './kafka-log-reader.ts';
import { PartitionSubscription } from './partition-subscription.ts';
import { ReaderBuffers } from './reader-buffers.ts';

/** Fixed timestamps are of the past, and retention by time would delete them at its next check. */
const ANY_AGE = { 'retention.ms': '-1' };

const connection = connect();
const reader = closing(new KafkaLogReader({ ...clusterOptions, reusesAnswers: true }));

async function produce(topic: string, keys: readonly string[], transactionalId?: string): Promise<void> {
  await withProducer(
    (producer) => producer.send({ topic, messages: keys.map((key) => ({ key, value: '' })) }),
    transactionalId,
  );
}

const keysOf = ({ records }: { readonly records: readonly { readonly key: string | null }[] }): (string | null)[] =>
  records.map(({ key }) => key);

describe('KafkaLogReader', () => {
  test('reads what is there and then what comes, in order, and says where the log ends', async () => {
    const topic = await createTopic(connection);
    await produce(topic, ['a', 'b', 'c']);
    const subscription = reader.subscribe({ topic, partition: 0 }, 0);
    expect(keysOf(await readUntil(subscription, ({ position }) => position === 3))).toEqual(['a', 'b', 'c']);
    await produce(topic, ['d']);
    const more = await readUntil(subscription, ({ position }) => position === 4);
    expect(keysOf(more)).toEqual(['d']);
    expect(subscription.ends).toMatchObject({ logStartOffset: 0, highWatermark: 4, lastStableOffset: 4 });
    subscription.close();
  });

  test('begins in the middle of a batch', async () => {
    const topic = await createTopic(connection);
    await produce(topic, ['a', 'b', 'c']);
    const subscription = reader.subscribe({ topic, partition: 0 }, 1);
    const { records } = await readUntil(subscription, ({ position }) => position === 3);
    expect(records.map(({ offset, key }) => [offset, key])).toEqual([
      [1, 'b'],
      [2, 'c'],
    ]);
    subscription.close();
  });

  test('[kafkajs 7] an answer that finds nothing still says where the log ends, and when that was asked', async () => {
    const topic = await createTopic(connection);
    await produce(topic, ['a']);
    const subscription = reader.subscribe({ topic, partition: 0 }, 1);
    await changeOf(subscription);
    const first = subscription.ends!;
    expect(first).toMatchObject({ highWatermark: 1, lastStableOffset: 1, logStartOffset: 0 });
    while (subscription.ends!.askedAtMs <= first.askedAtMs) await changeOf(subscription);
    expect(subscription.take()).toBeUndefined();
    subscription.close();
  });

  test('[kafkajs 7] an open transaction is visible: reading stops below it, and the two ends differ', async () => {
    const topic = await createTopic(connection);
    await produce(topic, ['before']);
    await withProducer(async (producer) => {
      const transaction = await producer.transaction();
      await transaction.send({ topic, messages: [{ key: 'open', value: '' }] });
      await produce(topic, ['after']);
      const subscription = reader.subscribe({ topic, partition: 0 }, 0);
      const below = await readUntil(subscription, ({ position }) => position === 1);
      expect(keysOf(below)).toEqual(['before']);
      while (subscription.ends!.highWatermark < 3) await changeOf(subscription);
      expect(subscription.ends).toMatchObject({ lastStableOffset: 1, highWatermark: 3 });
      await transaction.commit();
      const rest = await readUntil(subscription, ({ position }) => position === 4);
      expect(keysOf(rest)).toEqual(['open', 'after']);
      subscription.close();
    }, `open-${topic}`);
  });

  test('[kafkajs 4] transactions that overlap on one partition: aborted ones leave nothing, whatever their keys', async () => {
    const topic = await createTopic(connection);
    const zeros = { key: Buffer.alloc(4), value: '' };
    await withProducer(async (one) => {
      await withProducer(async (two) => {
        const abortedLater = await one.transaction();
        const kept = await two.transaction();
        await abortedLater.send({ topic, messages: [{ key: 'aborted-1', value: '' }, zeros] });
        await kept.send({ topic, messages: [{ key: 'kept-1', value: '' }] });
        await abortedLater.send({ topic, messages: [{ key: 'aborted-2', value: '' }] });
        await kept.send({ topic, messages: [zeros] });
        await kept.commit();
        await abortedLater.send({ topic, messages: [{ key: 'aborted-3', value: '' }] });
        const abortedToo = await two.transaction();
        await abortedToo.send({ topic, messages: [{ key: 'aborted-4', value: '' }] });
        await abortedLater.abort();
        await abortedToo.abort();
        const last = await one.transaction();
        await last.send({ topic, messages: [{ key: 'kept-2', value: '' }] });
        await last.commit();
      }, `two-${topic}`);
    }, `one-${topic}`);
    const subscription = reader.subscribe({ topic, partition: 0 }, 0);
    // 8 records and 4 markers.
    const reading = await readUntil(subscription, ({ position }) => position === 12);
    expect(keysOf(reading)).toEqual(['kept-1', '\0\0\0\0', 'kept-2']);
    subscription.close();
  });

  test('[kafkajs 5] a log that ends in markers and aborted records is read to its end', async () => {
    const topic = await createTopic(connection);
    await withProducer(async (producer) => {
      for (const outcome of ['commit', 'abort', 'abort'] as const) {
        const transaction = await producer.transaction();
        await transaction.send({ topic, messages: [{ key: outcome, value: '' }] });
        await transaction[outcome]();
      }
    }, `tail-${topic}`);
    const subscription = reader.subscribe({ topic, partition: 0 }, 0);
    const reading = await readUntil(subscription, ({ position }) => position === 6);
    expect(keysOf(reading)).toEqual(['commit']);
    // From within that tail nothing is shown, and the position moves on all the same.
    const within = reader.subscribe({ topic, partition: 0 }, 3);
    expect(await readUntil(within, ({ position }) => position === 6)).toEqual({ records: [], position: 6 });
    subscription.close();
    within.close();
  });

  test.each([
    ['above its end', 99],
    ['below its start', 1],
  ])('[kafkajs 8] [R3] an offset %s stops the partition with the facts, and is never reset', async (_where, offset) => {
    const topic = await createTopic(connection);
    await produce(topic, ['a', 'b', 'c', 'd']);
    await new KafkaLogAdmin({ clock: systemClock, connection }).truncate({ topic, partition: 0 }, 2);
    const subscription = reader.subscribe({ topic, partition: 0 }, offset);
    const failure = await failureOf(subscription);
    expect(failure).toBeInstanceOf(PartitionStopped);
    expect(failure.message).toContain(`${topic}-0: offset ${offset} is outside the log, which holds 2 to 4`);
    expect(subscription.take()).toBeUndefined();
    subscription.close();
  });

  test('[R3] a topic deleted while it is read stops its partitions, and what was fetched can still be taken', async () => {
    const own = closing(new KafkaLogReader(clusterOptions, { topicMissingMs: 200 }));
    const topic = await createTopic(connection);
    await produce(topic, ['a']);
    const subscription = own.subscribe({ topic, partition: 0 }, 0);
    await readUntil(subscription, ({ position }) => position === 1);
    await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
    const failure = await failureOf(subscription);
    expect(failure).toBeInstanceOf(PartitionStopped);
    expect(failure.message).toContain(`topic ${topic} does not exist`);
  });

  test('[kafkajs 24] [R3] a topic deleted and made again under its name is not read on, even where no fetch noticed', async () => {
    // The buffer is full with the first record, so nothing is fetched while the topic changes.
    const limits = { partitionFetchBytes: 1_000, partitionBufferBytes: 1_000, metadataAgeMs: 50 };
    const own = closing(new KafkaLogReader(clusterOptions, limits));
    const topic = await createTopic(connection);
    await produce(topic, ['a']);
    const subscription = own.subscribe({ topic, partition: 0 }, 0);
    await changeOf(subscription);
    await withAdmin((admin) => admin.deleteTopics({ topics: [topic] }));
    const again = { topic, partitions: 1, replicationFactor: 1 };
    await new KafkaTopicAdmin({ clock: systemClock, connection }).createTopics([again]);
    await produce(topic, ['other-a', 'other-b']);
    expect((await failureOf(subscription)).message).toContain(`topic ${topic} was deleted and created again`);
    // Records read of the former topic are sound.
    const fetched = subscription.take()!;
    expect(fetched.cursor.next()).toBe(true);
    expect(fetched.nextOffset).toBe(1);
  });

  test('[Q1][R3] nothing of a topic that was made again is shown to who reads the former one, of which nothing was read', async () => {
    const topic = await createTopic(connection);
    const admin = new KafkaLogAdmin({ clock: systemClock, connection });
    const { topicId } = await admin.presentTopic(topic);
    const reading = reader.subscribe({ topic, partition: 0 }, 0);
    while (reading.ends === undefined) await changeOf(reading);
    await withAdmin((former) => former.deleteTopics({ topics: [topic] }));
    const again = { topic, partitions: 2, replicationFactor: 1 };
    await new KafkaTopicAdmin({ clock: systemClock, connection }).createTopics([again]);
    await withProducer((producer) => producer.send({ topic, messages: [{ partition: 0, key: 'other', value: '' }] }));
    const begun = reader.subscribe({ topic, partition: 0 }, 0, -1, topicId);
    for (const each of [reading, begun]) {
      expect((await failureOf(each)).message).toContain(`topic ${topic} was deleted and created again`);
      expect(each.take()).toBeUndefined();
      each.close();
    }
    const present = await admin.presentTopic(topic);
    expect(present).toMatchObject({ partitions: 2 });
    const other = reader.subscribe({ topic, partition: 0 }, 0, -1, present.topicId);
    expect(keysOf(await readUntil(other, ({ position }) => position === 1))).toEqual(['other']);
    other.close();
  });

  test('a partition that does not exist stops, saying how many there are', async () => {
    const own = closing(new KafkaLogReader(clusterOptions, { topicMissingMs: 100 }));
    const topic = await createTopic(connection, 2);
    const failure = await failureOf(own.subscribe({ topic, partition: 2 }, 0));
    expect(failure.message).toContain(`topic ${topic} has only 2 partitions`);
  });

  test('[X5] without a leader it says what it waits for', async () => {
    const own = closing(new KafkaLogReader({ ...clusterOptions, brokers: ['127.0.0.1:1'] }));
    const subscription = own.subscribe({ topic: 'anything', partition: 4 }, 0);
    expect(subscription.obstacle).toMatchObject({ what: 'its leader' });
    await own.close();
    expect(subscription.obstacle).toBeUndefined();
  });

  test('[X6] fetches no more than fits, goes on when room is made, and starves no partition', async () => {
    const topic = await createTopic(connection, 3);
    const value = 'x'.repeat(20_000);
    await withProducer(async (producer) => {
      for (let batch = 0; batch < 20; batch += 1)
        for (const partition of [0, 1, 2])
          await producer.send({ topic, messages: [{ partition, key: String(batch), value }] });
    });
    const limits = {
      partitionFetchBytes: 50_000,
      partitionBufferBytes: 100_000,
      readerBufferBytes: 150_000,
      fetchBytes: 60_000,
    };
    const own = closing(new KafkaLogReader(clusterOptions, limits));
    const subscriptions = [0, 1, 2].map((partition) => own.subscribe({ topic, partition }, 0));
    // Nothing is taken while a fourth partition, which is empty, is polled several times: room for more there is none.
    const idle = own.subscribe({ topic: await createTopic(connection), partition: 0 }, 0);
    for (let polls = 0; polls < 5; polls += 1) await changeOf(idle);
    const buffered = subscriptions.map((each) => (each instanceof PartitionSubscription ? each.bufferedBytes : NaN));
    for (const bytes of buffered) {
      expect(bytes).toBeGreaterThan(0);
      expect(bytes).toBeLessThanOrEqual(limits.partitionBufferBytes);
    }
    // The last fetch of each may have been under way when the sum reached its bound.
    const mostBytes = limits.readerBufferBytes + subscriptions.length * limits.partitionFetchBytes;
    expect(buffered.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(mostBytes);
    const readings = await Promise.all(subscriptions.map((each) => readUntil(each, ({ position }) => position === 20)));
    for (const reading of readings)
      expect(keysOf(reading)).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
  });

  test('[X6] readers share their buffers: one whose records are not taken leaves the other a half, and nothing is lost', async () => {
    const topics = await Promise.all([createTopic(connection), createTopic(connection)]);
    const value = 'x'.repeat(20_000);
    await withProducer(async (producer) => {
      for (let batch = 0; batch < 20; batch += 1)
        for (const topic of topics)
          await producer.send({ topic, messages: [{ partition: 0, key: String(batch), value }] });
    });
    const sizes = { partitionFetchBytes: 50_000, partitionBufferBytes: 400_000, fetchBytes: 60_000 };
    const limits = { ...sizes, readerBufferBytes: 100_000 };
    const buffers = new ReaderBuffers();
    const empty = await createTopic(connection);
    const readers = topics.map(() => closing(new KafkaLogReader({ ...clusterOptions, buffers }, limits)));
    const subscriptions = [];
    for (const [i, reader] of readers.entries()) {
      subscriptions.push(reader.subscribe({ topic: topics[i]!, partition: 0 }, 0));
      const idle = reader.subscribe({ topic: empty, partition: 0 }, 0);
      for (let polls = 0; polls < 5; polls += 1) await changeOf(idle);
    }
    const held = readers.map(({ bufferedBytes }) => bufferedBytes);
    expect(held[0]).toBeGreaterThanOrEqual(limits.readerBufferBytes);
    expect(held[0]).toBeLessThan(limits.readerBufferBytes + limits.partitionFetchBytes);
    expect(held[1]).toBeGreaterThanOrEqual(limits.readerBufferBytes / 2);
    expect(held[1]).toBeLessThan(limits.readerBufferBytes / 2 + limits.partitionFetchBytes);
    const readings = await Promise.all(subscriptions.map((each) => readUntil(each, ({ position }) => position === 20)));
    for (const reading of readings)
      expect(keysOf(reading)).toEqual(Array.from({ length: 20 }, (_, index) => String(index)));
  });

  test('a batch larger than a fetch comes whole', async () => {
    const topic = await createTopic(connection, 2);
    await withProducer(async (producer) => {
      await producer.send({ topic, messages: [{ partition: 0, key: 'big', value: 'y'.repeat(300_000) }] });
      for (let batch = 0; batch < 5; batch += 1)
        await producer.send({ topic, messages: [{ partition: 1, key: 'small', value: '' }] });
    });
    const own = closing(new KafkaLogReader(clusterOptions, { partitionFetchBytes: 1_000, fetchBytes: 2_000 }));
    const big = own.subscribe({ topic, partition: 0 }, 0);
    const small = own.subscribe({ topic, partition: 1 }, 0);
    const readings = await Promise.all([
      readUntil(big, ({ position }) => position === 1),
      readUntil(small, ({ position }) => position === 5),
    ]);
    expect(readings[0].records[0]!.value!.length).toBe(300_000);
  });

  test('SA1: what one run shows is not written over by the next before it is used up, megabytes of two partitions', async () => {
    const topic = await createTopic(connection, 2);
    const value = (partition: number, index: number): string => `${partition}/${index}/`.repeat(40);
    await withProducer(async (producer) => {
      for (let batch = 0; batch < 40; batch += 1)
        for (const partition of [0, 1]) {
          const messages = Array.from({ length: 200 }, (_, index) => ({
            partition,
            key: null,
            value: value(partition, batch * 200 + index),
          }));
          await producer.send({ topic, messages });
        }
    });
    const own = closing(
      new KafkaLogReader({ ...clusterOptions, reusesAnswers: true }, { partitionFetchBytes: 300_000 }),
    );
    const [read, kept] = [0, 1].map((partition) => own.subscribe({ topic, partition }, 0));
    await changeOf(kept!);
    const fetched = kept!.take()!;
    const { records } = await readUntil(read!, ({ position }) => position === 8_000);
    expect(records.filter((record, index) => record.value !== value(0, index))).toEqual([]);
    for (let index = 0; fetched.cursor.next(); index += 1) {
      const { bytes, valueStart, valueLength } = fetched.cursor;
      expect(Buffer.from(bytes.subarray(valueStart, valueStart + valueLength)).toString()).toBe(value(1, index));
    }
    expect(fetched.cursor.position).toBe(fetched.nextOffset);
  });

  test.each(['gzip', 'snappy', 'lz4', 'zstd'])('reads what the broker itself packed with %s', async (compression) => {
    const topic = await createTopic(connection, 1, { 'compression.type': compression, ...ANY_AGE });
    const messages = Array.from({ length: 2_000 }, (_, index) => ({
      key: `session-${index}`,
      value: `value ${index % 7}`,
      timestamp: String(1_700_000_000_000 + index),
    }));
    await withProducer((producer) => producer.send({ topic, messages }));
    const subscription = reader.subscribe({ topic, partition: 0 }, 0);
    const { records } = await readUntil(subscription, ({ position }) => position === messages.length);
    expect(records).toEqual(
      messages.map(({ key, value, timestamp }, offset) => ({ offset, key, value, timestamp: Number(timestamp) })),
    );
    subscription.close();
  });

  test.each(['uncompressed', 'zstd'])('a topic stamped by the broker gives its time, %s', async (compression) => {
    const topic = await createTopic(connection, 1, {
      ...ANY_AGE,
      'compression.type': compression,
      'message.timestamp.type': 'LogAppendTime',
    });
    const messages = ['a', 'b'].map((key) => ({ key, value: '', timestamp: '1' }));
    await withProducer((producer) => producer.send({ topic, messages }));
    const subscription = reader.subscribe({ topic, partition: 0 }, 0);
    const { records } = await readUntil(subscription, ({ position }) => position === 2);
    expect(records[0]!.timestamp).toBeGreaterThan(1_700_000_000_000);
    expect(records[1]!.timestamp).toBe(records[0]!.timestamp);
    subscription.close();
  });

  test('two subscriptions to one partition each get everything', async () => {
    const topic = await createTopic(connection);
    await produce(topic, ['a', 'b']);
    const both: LogSubscription[] = [
      reader.subscribe({ topic, partition: 0 }, 0),
      reader.subscribe({ topic, partition: 0 }, 1),
    ];
    const readings = await Promise.all(both.map((each) => readUntil(each, ({ position }) => position === 2)));
    expect(readings.map(keysOf)).toEqual([['a', 'b'], ['b']]);
    // Both stand at the end now, and one fetch names a partition once: they take turns.
    for (let position = 3; position < 10; position += 1) {
      await produce(topic, ['c']);
      const more = await Promise.all(both.map((each) => readUntil(each, (reading) => reading.position === position)));
      expect(more.map(keysOf)).toEqual([['c'], ['c']]);
    }
    for (const each of both) each.close();
  });

  test('a closed subscription gives nothing more, and a closed reader no subscription', async () => {
    const topic = await createTopic(connection);
    await produce(topic, ['a']);
    const own = closing(new KafkaLogReader(clusterOptions));
    const subscription = own.subscribe({ topic, partition: 0 }, 0);
    await changeOf(subscription);
    subscription.close();
    expect(subscription.take()).toBeUndefined();
    expect(subscription.failure).toBeUndefined();
    await own.close();
    expect(own.subscribe({ topic, partition: 0 }, 0).failure!.message).toContain('the reader is closed');
  });
});
