import { describe, expect, test } from '@jest/globals';
import { AssertionError, Fenced, PartitionStopped, Retriable } from '@flatline/base';
import type { GroupOffset, OutgoingRecord, OutgoingRecords } from '@flatline/ports';
import { KafkaLogAdmin } from '../admin/kafka-log-admin.ts';
import { connect, createTopic, readCommitted, storedBytes, systemClock, uniqueName } from '../broker.fixture.ts';
import { RecordBatchEncoder } from '../record-batch/encoder.ts';
import { LossyConnection } from './lossy-connection.fixture.ts';
import { decodeProduce, produceRequest } from './produce-request.ts';
import {
  addPartitionsRequest,
  decodeInitProducerId,
  decodePartitionsDone,
  initProducerIdRequest,
} from './producer-requests.ts';
import { KafkaTransactionalWriters } from './transactional-writers.ts';

const connection = connect();
const writers = new KafkaTransactionalWriters({ clock: systemClock, connections: [connection] });
const admin = new KafkaLogAdmin({ clock: systemClock, connection });
const utf8 = new TextEncoder();

const record = (text: string): OutgoingRecord => ({ key: utf8.encode(text), value: utf8.encode(text) });
const write = (topic: string, ...texts: readonly string[]): OutgoingRecords => ({
  topic,
  partition: 0,
  records: texts.map(record),
});
const offsetOf = (group: string, topic: string, offset: number): GroupOffset => ({
  group,
  topic,
  partition: 0,
  offset,
  metadata: '',
});
const keysIn = async (topic: string, partition = 0): Promise<readonly (string | null)[]> =>
  (await readCommitted(connection, topic, partition)).map(({ key }) => key);

describe('KafkaTransactionalWriter', () => {
  test('[O1] what is committed is visible to read_committed, in every partition, with the offsets it returned', async () => {
    const [first, second] = [await createTopic(connection, 2), await createTopic(connection)];
    const writer = await writers.open(uniqueName('id'));
    const partitionOne = { ...write(first, 'c'), partition: 1 };
    const offsets = await writer.commit({
      writes: [write(first, 'a', 'b'), partitionOne, write(second, 'd'), write(first, 'e')],
      offsets: [],
    });
    expect(offsets).toEqual([[0, 1], [0], [0], [2]]);
    const records = await readCommitted(connection, first);
    expect(records.map(({ key, offset }) => [key, offset])).toEqual([
      ['a', 0],
      ['b', 1],
      ['e', 2],
    ]);
    expect(await keysIn(first, 1)).toEqual(['c']);
    expect(await keysIn(second)).toEqual(['d']);
  });

  test('[O1] batches are packed as their topic says, and their records read as they were', async () => {
    const [packed, plain] = [await createTopic(connection), await createTopic(connection)];
    const compressionOf = (topic: string): 'zstd' | 'none' => (topic === packed ? 'zstd' : 'none');
    const packing = new KafkaTransactionalWriters({ clock: systemClock, connections: [connection], compressionOf });
    const writer = await packing.open(uniqueName('id'));
    const texts = Array.from({ length: 300 }, (_, i) => `the same words again and again, but for a number ${i}`);
    await writer.commit({ writes: [write(packed, ...texts), write(plain, ...texts)], offsets: [] });
    for (const topic of [packed, plain]) expect(await keysIn(topic)).toEqual(texts);
    expect(await storedBytes(connection, packed)).toBeLessThan((await storedBytes(connection, plain)) / 5);
    const few = texts.slice(0, 3);
    const bytes = (): Promise<number[]> => Promise.all([packed, plain].map((topic) => storedBytes(connection, topic)));
    const before = await bytes();
    await writer.commit({ writes: [write(packed, ...few), write(plain, ...few)], offsets: [] });
    for (const topic of [packed, plain]) expect(await keysIn(topic)).toEqual([...texts, ...few]);
    const [grownPacked, grownPlain] = (await bytes()).map((each, i) => each - before[i]!);
    // Packing a few records costs more than it saves.
    expect(grownPacked).toBe(grownPlain);
  });

  test('[O1] group offsets are committed in the same transaction, or alone', async () => {
    const [topic, group] = [await createTopic(connection), uniqueName('group')];
    const id = uniqueName('id');
    const writer = await writers.open(id);
    await writer.commit({ writes: [write(topic, 'a')], offsets: [offsetOf(group, topic, 42)] });
    // Markers are written after EndTxn is answered, and before the id can be opened again.
    const successor = await writers.open(id);
    expect(await admin.committedOffset(group, { topic, partition: 0 })).toMatchObject({ offset: 42 });
    await successor.commit({ writes: [], offsets: [offsetOf(group, topic, 43)] });
    await writers.open(id);
    expect(await admin.committedOffset(group, { topic, partition: 0 })).toMatchObject({ offset: 43 });
  });

  test('[kafkajs 20] headers without a value, null keys and tombstones are written as such', async () => {
    const topic = await createTopic(connection);
    const writer = await writers.open(uniqueName('id'));
    const headers = [
      { name: 'none', value: null },
      { name: 'some', value: utf8.encode('x') },
    ];
    const records = [{ key: null, value: null, headers, timestamp: 7 }];
    await writer.commit({ writes: [{ topic, partition: 0, records }], offsets: [] });
    expect(await readCommitted(connection, topic)).toEqual([
      { offset: 0, key: null, value: null, timestamp: 7, headers: { none: null, some: '78' } },
    ]);
  });

  test('[kafkajs 14] many records to one partition go in one commit', async () => {
    const topic = await createTopic(connection);
    const writer = await writers.open(uniqueName('id'));
    const records = Array.from({ length: 50_000 }, (_, index) => record(String(index)));
    const [offsets] = await writer.commit({ writes: [{ topic, partition: 0, records }], offsets: [] });
    expect(offsets).toEqual(records.map((_, index) => index));
    expect(await keysIn(topic)).toEqual(records.map((_, index) => String(index)));
  });

  test('[kafkajs 21] what exceeds one request is cut, in order, over several partitions', async () => {
    const topic = await createTopic(connection, 3, { 'max.message.bytes': '20000' });
    const small = new KafkaTransactionalWriters({
      clock: systemClock,
      connections: [connection],
      requestBytesMax: 20_000,
    });
    const writer = await small.open(uniqueName('id'));
    const value = new Uint8Array(7_000);
    const writes = [0, 1, 2].map((partition) => ({
      topic,
      partition,
      records: Array.from({ length: 11 }, (_, index) => ({ key: utf8.encode(`${partition}.${index}`), value })),
    }));
    const offsets = await writer.commit({ writes, offsets: [] });
    const eleven = Array.from({ length: 11 }, (_, index) => index);
    expect(offsets).toEqual([eleven, eleven, eleven]);
    for (const partition of [0, 1, 2])
      expect(await keysIn(topic, partition)).toEqual(eleven.map((index) => `${partition}.${index}`));
  });

  test('[kafkajs 13] commits follow one another without a pause of the caller', async () => {
    const topic = await createTopic(connection);
    const writer = await writers.open(uniqueName('id'));
    for (let index = 0; index < 30; index += 1) {
      const [offsets] = await writer.commit({ writes: [write(topic, String(index))], offsets: [] });
      // A marker follows each record.
      expect(offsets).toEqual([index * 2]);
    }
  });

  test('[kafkajs 2] after a failed write the writer is dead, and its successor is not taken for a duplicate', async () => {
    const topic = await createTopic(connection, 1, { 'max.message.bytes': '10000' });
    const id = uniqueName('id');
    const writer = await writers.open(id);
    await writer.commit({ writes: [write(topic, 'before')], offsets: [] });
    const tooLarge = { topic, partition: 0, records: [{ key: null, value: new Uint8Array(20_000) }] };
    const failed = writer.commit({ writes: [tooLarge], offsets: [] });
    await expect(failed).rejects.toThrow(PartitionStopped);
    await expect(failed).rejects.toThrow(
      new RegExp(
        `write to ${topic}/0 .*MESSAGE_TOO_LARGE .*the batch has 200\\d\\d bytes in 1 record; raise max\\.message\\.bytes`,
      ),
    );
    const refused = writer.commit({ writes: [write(topic, 'refused')], offsets: [] });
    await expect(refused).rejects.toThrow(/takes no more commits: .*MESSAGE_TOO_LARGE/);
    const successor = await writers.open(id);
    await successor.commit({ writes: [write(topic, 'after')], offsets: [] });
    expect(await keysIn(topic)).toEqual(['before', 'after']);
  });

  test('[X4] a writer whose id was opened again is fenced, and what it wrote is never visible', async () => {
    const topic = await createTopic(connection);
    const id = uniqueName('id');
    const zombie = await writers.open(id);
    await zombie.commit({ writes: [write(topic, 'first')], offsets: [] });
    const owner = await writers.open(id);
    await expect(zombie.commit({ writes: [write(topic, 'zombie')], offsets: [] })).rejects.toThrow(Fenced);
    await expect(zombie.commit({ writes: [write(topic, 'zombie')], offsets: [] })).rejects.toThrow(Fenced);
    await owner.commit({ writes: [write(topic, 'second')], offsets: [] });
    expect(await keysIn(topic)).toEqual(['first', 'second']);
  });

  test('[kafkajs 3] a zombie commits no offsets', async () => {
    const [topic, group] = [await createTopic(connection), uniqueName('group')];
    const id = uniqueName('id');
    const zombie = await writers.open(id);
    const owner = await writers.open(id);
    await owner.commit({ writes: [], offsets: [offsetOf(group, topic, 10)] });
    await expect(zombie.commit({ writes: [], offsets: [offsetOf(group, topic, 5)] })).rejects.toThrow(Fenced);
    await writers.open(id);
    expect(await admin.committedOffset(group, { topic, partition: 0 })).toMatchObject({ offset: 10 });
  });

  test('opening an id aborts the transaction its former holder left open', async () => {
    const topic = await createTopic(connection);
    const id = uniqueName('id');
    await leaveTransactionOpen(id, topic);
    const before = await admin.ends({ topic, partition: 0 });
    const successor = await writers.open(id);
    await successor.commit({ writes: [write(topic, 'after')], offsets: [] });
    expect(await keysIn(topic)).toEqual(['after']);
    expect(before.lastStableOffset).toBe(0);
    expect((await admin.ends({ topic, partition: 0 })).lastStableOffset).toBe(4);
  });

  test('an answer to a write that is lost ends the writer, though the broker has the records', async () => {
    const topic = await createTopic(connection);
    const { writer, lossy, id } = await lossyWriter();
    lossy.loseNext('Produce');
    await expect(writer.commit({ writes: [write(topic, 'lost')], offsets: [] })).rejects.toThrow(Retriable);
    const successor = await writers.open(id);
    await successor.commit({ writes: [write(topic, 'kept')], offsets: [] });
    expect(await keysIn(topic)).toEqual(['kept']);
  });

  test('an answer to EndTxn that is lost leaves the outcome unknown: the records may be there', async () => {
    const topic = await createTopic(connection);
    const { writer, lossy, id } = await lossyWriter();
    lossy.loseNext('EndTxn');
    await expect(writer.commit({ writes: [write(topic, 'unknown')], offsets: [] })).rejects.toThrow(Retriable);
    const successor = await writers.open(id);
    await successor.commit({ writes: [write(topic, 'after')], offsets: [] });
    expect(await keysIn(topic)).toEqual(['unknown', 'after']);
  });

  test('a topic that does not exist stops the partition, naming it and what to do', async () => {
    const writer = await writers.open(uniqueName('id'));
    const missing = uniqueName('missing');
    const failed = writer.commit({ writes: [write(missing, 'a')], offsets: [] });
    await expect(failed).rejects.toThrow(PartitionStopped);
    await expect(failed).rejects.toThrow(new RegExp(`${missing}.*create the topic`));
  });

  test('a closed writer commits nothing, and two commits at once are a mistake of the caller', async () => {
    const topic = await createTopic(connection);
    const writer = await writers.open(uniqueName('id'));
    const running = writer.commit({ writes: [write(topic, 'a')], offsets: [] });
    await expect(writer.commit({ writes: [write(topic, 'b')], offsets: [] })).rejects.toThrow(AssertionError);
    await running;
    await writer.close();
    await writer.close();
    await expect(writer.commit({ writes: [write(topic, 'c')], offsets: [] })).rejects.toThrow(Retriable);
    expect(await keysIn(topic)).toEqual(['a']);
  });

  test('writers in turn use all connections they were given', async () => {
    const topic = await createTopic(connection, 4);
    const several = new KafkaTransactionalWriters({ clock: systemClock, connections: [connection, connect()] });
    const commits = [0, 1, 2, 3].map(async (partition) => {
      const writer = await several.open(uniqueName('id'));
      return writer.commit({ writes: [{ ...write(topic, 'a'), partition }], offsets: [] });
    });
    expect(await Promise.all(commits)).toEqual([[[0]], [[0]], [[0]], [[0]]]);
  });
});

async function lossyWriter(): Promise<{
  readonly writer: Awaited<ReturnType<typeof writers.open>>;
  readonly lossy: LossyConnection;
  readonly id: string;
}> {
  const lossy = LossyConnection.open();
  const id = uniqueName('id');
  const writer = await new KafkaTransactionalWriters({ clock: systemClock, connections: [lossy] }).open(id);
  return { writer, lossy, id };
}

/** Begins a transaction, writes a record, and goes away. */
async function leaveTransactionOpen(transactionalId: string, topic: string): Promise<void> {
  const coordinator = await connection.coordinator('transaction', transactionalId);
  const { producerId, epoch } = await connection.send(
    coordinator,
    initProducerIdRequest(transactionalId, 60_000),
    (payload) => decodeInitProducerId(payload, 'test'),
  );
  const identity = { transactionalId, producerId, epoch, timeoutMs: 60_000 };
  const added = addPartitionsRequest(identity, [{ topic, partition: 0 }]);
  await connection.send(coordinator, added, (payload) => {
    decodePartitionsDone(payload, 'test');
  });
  const encoder = new RecordBatchEncoder();
  encoder.add(record('left behind'), 0);
  const bytes = encoder.seal({ producerId, producerEpoch: epoch, baseSequence: 0, transactional: true });
  const { nodeId } = await connection.leader({ topic, partition: 0 });
  const batch = { topic, partition: 0, bytes, recordCount: 1 };
  const request = produceRequest([batch], { transactionalId, acknowledgeMs: 5_000 });
  const [answer] = await connection.send(nodeId, request, decodeProduce);
  expect(answer).toMatchObject({ errorCode: 0, baseOffset: 0 });
}
