import { describe, expect, test } from '@jest/globals';
import { Fatal, Retriable } from '@flatline/base';
import { alterInForce } from '@flatline/dev-broker';
import type { TopicPartition } from '@flatline/ports';
import { KafkaTopicAdmin } from '../admin/kafka-topic-admin.ts';
import { clusterOptions, closing, connect, createTopic, readCommitted, systemClock } from '../broker.fixture.ts';
import { KafkaConnection, type Leader } from '../connection/kafka-connection.ts';
import { AcknowledgedWriter, type AcknowledgedWriterOptions } from './acknowledged-writer.ts';
import { RecordTooLarge } from './topic-limit.ts';

const connection = connect();
const utf8 = new TextEncoder();
const record = (key: string, partition: number, bytes = 0): Parameters<AcknowledgedWriter['write']>[0] => ({
  key: utf8.encode(key),
  value: new Uint8Array(bytes),
  partition,
});

const open = (topic: string, options: Partial<AcknowledgedWriterOptions> = {}): Promise<AcknowledgedWriter> =>
  AcknowledgedWriter.open({ clock: systemClock, connection, topic, lingerMs: 0, ...options });

/** A cluster in which some partitions have no leader. */
class PartlyLed extends KafkaConnection {
  readonly leaderless: Set<number>;

  refusal: Error | undefined;

  constructor(leaderless: readonly number[]) {
    super(clusterOptions);
    this.leaderless = new Set(leaderless);
  }

  override knownLeader(place: TopicPartition): Leader | undefined {
    return this.leaderless.has(place.partition) ? undefined : super.knownLeader(place);
  }

  override leader(place: TopicPartition): Promise<Leader> {
    return this.refusal === undefined ? super.leader(place) : Promise.reject(this.refusal);
  }
}

describe('AcknowledgedWriter', () => {
  test('each record resolves with when the leader stamped it', async () => {
    const topic = await createTopic(connection, 2, { 'message.timestamp.type': 'LogAppendTime' });
    const writer = await open(topic);
    const keys = Array.from({ length: 50 }, (_, index) => String(index));
    const stamps = await Promise.all(keys.map((key) => writer.write({ key: utf8.encode(key), value: null })));
    await writer.close();
    const found = (await Promise.all([0, 1].map((partition) => readCommitted(connection, topic, partition)))).flat();
    expect(new Map(found.map(({ key, timestamp }) => [key, timestamp]))).toEqual(
      new Map(keys.map((key, index) => [key, stamps[index]])),
    );
  });

  test('AW1: a record does not wait for those of a partition that has no leader', async () => {
    const topic = await createTopic(connection, 2);
    const through = closing(new PartlyLed([1]));
    const writer = await open(topic, { connection: through });
    let hasLeader = false;
    const stuck = writer.write(record('stuck', 1)).then(() => hasLeader);
    await writer.write(record('free', 0));
    hasLeader = true;
    through.leaderless.clear();
    expect(await stuck).toBe(true);
    await writer.close();
  });

  test('AW1: one that its topic does not take is refused alone', async () => {
    const topic = await createTopic(connection, 1);
    const writer = await open(topic);
    const admin = new KafkaTopicAdmin({ clock: systemClock, connection });
    await alterInForce(admin, [{ topic, settings: { 'max.message.bytes': '1000' } }]);
    const sizes = [0, 2_000, 0, 0, 3_000, 0];
    const outcomes = await Promise.allSettled(
      sizes.map((bytes, index) => writer.write(record(String(index), 0, bytes))),
    );
    await writer.close();
    expect(outcomes.map(({ status }) => status === 'rejected')).toEqual(sizes.map((bytes) => bytes > 0));
    for (const each of outcomes) if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(RecordTooLarge);
    expect((await readCommitted(connection, topic)).map(({ key }) => key)).toEqual(['0', '2', '3', '5']);
  });

  test('AW1: a partition without a leader refuses what waits for it, and no other; led again, it takes what comes', async () => {
    const topic = await createTopic(connection, 2);
    const through = closing(new PartlyLed([1]));
    const writer = await open(topic, { connection: through, deliveryTimeoutMs: 100 });
    await writer.write(record('led', 0));
    const stuck = await Promise.allSettled(['a', 'b'].map((key) => writer.write(record(key, 1))));
    for (const each of stuck) expect(each).toMatchObject({ reason: expect.any(Retriable), status: 'rejected' });
    await writer.write(record('still led', 0));
    through.leaderless.clear();
    await writer.write(record('led again', 1));
    await writer.close();
    expect((await readCommitted(connection, topic, 0)).map(({ key }) => key)).toEqual(['led', 'still led']);
    expect((await readCommitted(connection, topic, 1)).map(({ key }) => key)).toEqual(['led again']);
  });

  test('what ends the producer reaches every record that waits, and every later one', async () => {
    const topic = await createTopic(connection, 2);
    const through = closing(new PartlyLed([0, 1]));
    const writer = await open(topic, { connection: through, deliveryTimeoutMs: 100 });
    through.refusal = new Fatal('not authorized');
    const outcomes = await Promise.allSettled([0, 1, 1].map((partition) => writer.write(record('a', partition))));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: expect.any(Fatal) });
    expect(writer.hasFailed).toBe(true);
    await expect(writer.write(record('b', 0))).rejects.toThrow(/not acknowledged: partition 0: 1, partition 1: 2/);
    await expect(writer.close()).rejects.toThrow(Fatal);
  });

  test('what comes once it closes is refused at once', async () => {
    const writer = await open(await createTopic(connection));
    const closing = writer.close();
    await expect(writer.write(record('late', 0))).rejects.toThrow(/is closed/);
    await closing;
  });
});
