import { describe, expect, test } from '@jest/globals';
import { PartitionStopped } from '@flatline/base';
import { KafkaLogReader } from '../reader/kafka-log-reader.ts';
import { closing, clusterOptions, connect, createTopic, systemClock } from '../broker.fixture.ts';
import { withAdmin, withProducer } from '../kafkajs.fixture.ts';
import { readUntil } from '../reader/reading.fixture.ts';
import { GroupProgress } from './group-progress.ts';
import { KafkaLogAdmin } from './kafka-log-admin.ts';

const connection = connect();
const admin = new KafkaLogAdmin({ clock: systemClock, connection });

describe('KafkaLogAdmin', () => {
  test('a group has no committed offset until it has one, and then that one', async () => {
    const topic = await createTopic(connection, 2);
    const group = `group-of-${topic}`;
    expect(await admin.committedOffset(group, { topic, partition: 1 })).toBeUndefined();
    await withAdmin((kafkajs) =>
      kafkajs.setOffsets({ groupId: group, topic, partitions: [{ partition: 1, offset: '17' }] }),
    );
    expect(await admin.committedOffset(group, { topic, partition: 1 })).toMatchObject({ offset: 17 });
    expect(await admin.committedOffset(group, { topic, partition: 0 })).toBeUndefined();
  });

  test('how far a group is in a topic, all partitions at once and asked again', async () => {
    const topic = await createTopic(connection, 3);
    const group = `group-of-${topic}`;
    const progress = new GroupProgress({ clock: systemClock, connection }, { group, topic, partitions: 3 });
    expect(await progress.committed()).toEqual([0, 0, 0]);
    expect(await progress.ends()).toEqual([0, 0, 0]);
    const partitions = [
      { partition: 0, offset: '0' },
      { partition: 2, offset: '17' },
    ];
    await withAdmin((kafkajs) => kafkajs.setOffsets({ groupId: group, topic, partitions }));
    await withProducer((producer) => producer.send({ topic, messages: [{ partition: 1, value: 'x' }] }));
    expect(await progress.committed()).toEqual([0, 0, 17]);
    expect(await progress.ends()).toEqual([0, 1, 0]);
  });

  test('[C3] the ends are those of decided records, the replicated end is beyond them, and truncation moves the start', async () => {
    const topic = await createTopic(connection);
    const partition = { topic, partition: 0 };
    expect(await admin.ends(partition)).toEqual({ logStartOffset: 0, lastStableOffset: 0 });
    expect(await admin.logBytes(partition)).toBe(0);
    await withProducer(async (producer) => {
      await producer.send({ topic, messages: ['a', 'b', 'c'].map((value) => ({ value })) });
    });
    await withProducer(async (producer) => {
      const open = await producer.transaction();
      await open.send({ topic, messages: [{ value: 'undecided' }] });
      expect(await admin.ends(partition)).toEqual({ logStartOffset: 0, lastStableOffset: 3 });
      expect(await admin.replicatedEnd(partition)).toBe(4);
      await open.commit();
    }, `ends-${topic}`);
    expect(await admin.logBytes(partition)).toBeGreaterThan(100);
    await admin.truncate(partition, 2);
    expect((await admin.ends(partition)).logStartOffset).toBe(2);
    // Records gone stay gone.
    await admin.truncate(partition, 1);
    expect((await admin.ends(partition)).logStartOffset).toBe(2);
  });

  test('[R3] the offset at an instant is that of the first decided record stamped at or past it', async () => {
    const topic = await createTopic(connection);
    const partition = { topic, partition: 0 };
    const stamps = [1_000, 2_000, 3_000];
    await withProducer(async (producer) => {
      for (const stamp of stamps) await producer.send({ topic, messages: [{ value: 'x', timestamp: String(stamp) }] });
    });
    expect(await admin.offsetAt(partition, 0)).toBe(0);
    expect(await admin.offsetAt(partition, 2_000)).toBe(1);
    expect(await admin.offsetAt(partition, 2_001)).toBe(2);
    expect(await admin.offsetAt(partition, 3_001)).toBeUndefined();
    await withProducer(async (producer) => {
      const open = await producer.transaction();
      await open.send({ topic, messages: [{ value: 'undecided', timestamp: '4000' }] });
      expect(await admin.offsetAt(partition, 3_001)).toBeUndefined();
      await open.commit();
    }, `instant-${topic}`);
    // EndTxn is answered before its marker is in the log.
    let found = await admin.offsetAt(partition, 3_001);
    for (let looks = 0; found === undefined && looks < 1_000; looks += 1)
      found = await admin.offsetAt(partition, 3_001);
    expect(found).toBe(3);
  });

  test('truncating above the end is refused', async () => {
    const topic = await createTopic(connection);
    await expect(admin.truncate({ topic, partition: 0 }, 5)).rejects.toThrow(PartitionStopped);
  });

  test('[R3] the fingerprint of any offset is what the reader saw when it stood behind it', async () => {
    const topic = await createTopic(connection);
    const partition = { topic, partition: 0 };
    await withProducer(async (producer) => {
      for (const outcome of ['commit', 'abort'] as const) {
        const transaction = await producer.transaction();
        await transaction.send({ topic, messages: ['a', 'b'].map((value) => ({ value })) });
        await transaction[outcome]();
      }
    }, `print-${topic}`);
    const reader = closing(new KafkaLogReader(clusterOptions));
    const seen = new Map<number, unknown>();
    const subscription = reader.subscribe(partition, 0);
    await readUntil(
      subscription,
      ({ position }) => position === 6,
      ({ position, batchChecksum, batchLeaderEpoch, batchTimestamp }) => {
        seen.set(position, { checksum: batchChecksum, leaderEpoch: batchLeaderEpoch, batchTimestamp });
      },
    );
    // Behind each record, and behind the last marker; in between as the answers happened to be cut.
    expect([...seen.keys()]).toEqual(expect.arrayContaining([1, 2, 6]));
    for (const [position, fingerprint] of seen)
      expect(await admin.fingerprintAt(partition, position - 1)).toEqual(fingerprint);
    // A data batch of an aborted transaction and its marker have one too; what is not there has none.
    for (const offset of [2, 3, 4, 5]) expect(await admin.fingerprintAt(partition, offset)).toBeDefined();
    expect(await admin.fingerprintAt(partition, 6)).toBeUndefined();
    expect(await admin.fingerprintAt(partition, 600)).toBeUndefined();
    await admin.truncate(partition, 3);
    expect(await admin.fingerprintAt(partition, 1)).toBeUndefined();
  });
});
