import { describe, expect, test } from '@jest/globals';
import { PartitionStopped } from '@flatline/base';
import { KafkaLogAdmin } from '../admin/kafka-log-admin.ts';
import { connect, createTopic, systemClock, uniqueName } from '../broker.fixture.ts';
import { KafkaMembership } from '../group/membership.ts';
import { withProducer } from '../kafkajs.fixture.ts';
import { scanBatches } from '../record-batch/batch-scan.ts';
import { KafkaLogScan, type LogStretch } from './kafka-log-scan.ts';

const connection = connect();
const scan = new KafkaLogScan({ clock: systemClock, connection });

const utf8 = new TextDecoder();

function keysOf({ cursor }: LogStretch): string[] {
  const keys: string[] = [];
  while (cursor.next())
    keys.push(utf8.decode(cursor.bytes.subarray(cursor.keyStart, cursor.keyStart + cursor.keyLength)));
  return keys;
}

const send = (topic: string, ...keys: readonly string[]) => ({
  topic,
  messages: keys.map((key) => ({ key, value: '' })),
});

describe('KafkaLogScan', () => {
  test('[V6] shows the committed records, the bytes as they lie there, and the producers that have not ended', async () => {
    const topic = await createTopic(connection);
    const at = { topic, partition: 0 };
    await withProducer(async (producer) => {
      const aborted = await producer.transaction();
      await aborted.send(send(topic, 'aborted'));
      await aborted.abort();
      const kept = await producer.transaction();
      await kept.send(send(topic, 'kept', 'too'));
      await kept.commit();
    }, uniqueName('id'));
    await withProducer((producer) => producer.send(send(topic, 'plain')));
    await withProducer(async (producer) => {
      const open = await producer.transaction();
      await open.send(send(topic, 'open'));
      expect(await scan.bounds(at)).toEqual({ logStartOffset: 0, lastStableOffset: 6, highWatermark: 7 });
      expect(await scan.openTransactions(at)).toEqual([
        { producerId: expect.any(Number), producerEpoch: 0, firstOffset: 6 },
      ]);
      const stretch = await scan.read(at, 0);
      expect(keysOf(stretch)).toEqual(['kept', 'too', 'plain']);
      expect(stretch.nextOffset).toBe(6);
      const { bytes, aborted: ended } = await scan.readBytes(at, 0);
      // Three batches and two markers, the open one left out.
      expect(scanBatches(Buffer.from(bytes), 0, bytes.length, 0)).toMatchObject({ end: bytes.length, nextOffset: 6 });
      expect(ended).toEqual([{ producerId: expect.any(Number), firstOffset: 0 }]);
      await open.abort();
    }, uniqueName('id'));
    // The coordinator answers before the marker is written.
    while ((await scan.openTransactions(at)).length > 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await scan.bounds(at)).lastStableOffset).toBe(8);
  });

  test('knows whether a group has members', async () => {
    const topic = await createTopic(connection);
    const group = uniqueName('group');
    expect(await scan.hasMembers(group)).toBe(false);
    const membership = new KafkaMembership({
      clock: systemClock,
      connection: connect(),
      group,
      topics: [topic],
      heartbeatIntervalMs: 50,
      sessionTimeoutMs: 6_000,
      localCheckpoints: () => Promise.resolve([]),
    });
    const { promise: assigned, resolve, reject } = Promise.withResolvers<unknown>();
    await membership.start({ assigned: resolve, lost: reject, failed: reject, positions: () => [] });
    await assigned;
    expect(await scan.hasMembers(group)).toBe(true);
    await membership.leave();
    expect(await scan.hasMembers(group)).toBe(false);
  });

  test('what has been deleted from under it is no empty log', async () => {
    const topic = await createTopic(connection);
    const at = { topic, partition: 0 };
    await withProducer((producer) => producer.send(send(topic, 'a', 'b', 'c')));
    await new KafkaLogAdmin({ clock: systemClock, connection }).truncate(at, 2);
    expect(await scan.bounds(at)).toMatchObject({ logStartOffset: 2 });
    await expect(scan.read(at, 0)).rejects.toThrow(PartitionStopped);
    await expect(scan.readBytes(at, 0)).rejects.toThrow(PartitionStopped);
    expect(keysOf(await scan.read(at, 2))).toEqual(['c']);
  });
});
