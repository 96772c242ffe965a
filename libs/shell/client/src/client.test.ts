// The SDK on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import type { Clock } from '@flatline/base';
import { alterInForce } from '@flatline/dev-broker';
import { BatchProducer, KafkaLogReader, KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import { randomUUID } from 'node:crypto';
import { INCARNATION_HEADER } from '@flatline/ports';
import { openHeartbeatProducer, openSummaryConsumer, type OutputRecord, type SummaryConsumerOptions } from './parts.ts';
import { connect, type Flatline } from './index.ts';
import { summaryJson } from './summary.fixture.ts';

const clock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => {
      clearTimeout(timer);
    };
  },
};
const kafka = { brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','), clientId: 'flatline-client-test', clock };
const connection = openCluster(kafka);
const opened: Flatline[] = [];
afterEach(async () => {
  await Promise.allSettled(opened.splice(0).map((each) => each.close()));
});
afterAll(() => {
  connection.close();
});

function open(): Flatline {
  const flatline = connect({ brokers: kafka.brokers });
  opened.push(flatline);
  return flatline;
}
const utf8 = new TextEncoder();

const admin = new KafkaTopicAdmin({ clock, connection });

async function makeTopic(partitions: number, settings: Readonly<Record<string, string>> = {}): Promise<string> {
  const topic = `client-${randomUUID()}`;
  await admin.createTopics([{ topic, partitions, replicationFactor: 1, settings }]);
  return topic;
}

const pages = (length: number): { type: string; attributes: Map<string, string> } => ({
  type: 'VIEW',
  attributes: new Map([['page', '/'.repeat(length)]]),
});

/** Key, value and time of the first `count` records of a partition. */
async function read(topic: string, partition: number, count: number): Promise<[string, string | null, number][]> {
  const reader = new KafkaLogReader(kafka);
  const subscription = reader.subscribe({ topic, partition }, 0);
  const seen: [string, string | null, number][] = [];
  while (seen.length < count) {
    const run = subscription.take();
    if (run === undefined) {
      await new Promise<void>((resolve) => {
        subscription.onChange(resolve);
      });
      continue;
    }
    for (const { cursor } = run; cursor.next();) {
      const part = (start: number, length: number): string =>
        Buffer.from(cursor.bytes.subarray(start, start + length)).toString('utf8');
      const value = cursor.valueLength < 0 ? null : part(cursor.valueStart, cursor.valueLength);
      seen.push([part(cursor.keyStart, cursor.keyLength), value, cursor.timestamp]);
    }
  }
  await reader.close();
  return seen;
}

describe('a heartbeat producer', () => {
  test('[I2] writes empty values, events and null values, in order, with the time it is given', async () => {
    const topic = await makeTopic(1);
    const acknowledged: number[] = [];
    const onAcknowledged = (_partition: number, records: number): void => void acknowledged.push(records);
    const producer = await openHeartbeatProducer({ clock, connection, topic, onAcknowledged });
    await producer.beat('anna', 1000);
    await producer.event('anna', { type: 'VIEW', attributes: new Map([['page', '/']]) }, 2000);
    await producer.end('anna', 3000);
    await producer.close();
    expect(acknowledged.reduce((sum, records) => sum + records, 0)).toBe(3);
    expect(await read(topic, 0, 3)).toEqual([
      ['anna', '', 1000],
      ['anna', expect.stringContaining('"VIEW"'), 2000],
      ['anna', null, 3000],
    ]);
  });

  test('sends a session where it says', async () => {
    const topic = await makeTopic(5);
    const producer = await openHeartbeatProducer({ clock, connection, topic });
    const ids = Array.from({ length: 50 }, (_, i) => `visitor-${i}`);
    for (const id of ids) await producer.beat(id);
    await producer.close();
    for (let partition = 0; partition < 5; partition += 1) {
      const here = ids.filter((id) => producer.partitionFor(id) === partition);
      expect((await read(topic, partition, here.length)).map(([key]) => key)).toEqual(here);
    }
  });

  test('refuses an event that no processor would take, and a topic that is not there', async () => {
    const producer = await openHeartbeatProducer({ clock, connection, topic: await makeTopic(1) });
    expect(() => producer.event('a', { sequence: -1 })).toThrow(/sequence/);
    await producer.close();
    await expect(openHeartbeatProducer({ clock, connection, topic: 'client-nowhere' })).rejects.toThrow(
      /client-nowhere/,
    );
  });
});

describe('an event that is too large for its topic', () => {
  test('HP3: is refused at the call, with its size, the limit and what to do; other sessions go on', async () => {
    const topic = await makeTopic(1, { 'max.message.bytes': '2000' });
    const flatline = open();
    const sessions = await flatline.sessions({ topic, timeoutMs: 60_000 });
    const [anna, bert] = [sessions.session('anna'), sessions.session('bert')];
    anna.start();
    expect(() => anna.event(pages(5_000))).toThrow(
      new RegExp(
        `a record has 5\\d\\d\\d bytes, more than topic ${topic} takes \\(max.message.bytes is 2000\\): .*or raise`,
      ),
    );
    for (let i = 0; i < 3; i += 1) bert.event(pages(1_000));
    anna.end();
    await flatline.close();
    expect((await read(topic, 0, 5)).map(([key]) => key)).toEqual(['anna', 'bert', 'bert', 'bert', 'anna']);
  });

  test('HP3: and has been taken all the same is told of once, by `onRefused` or the next flush; others are in the log', async () => {
    const topic = await makeTopic(1);
    const flatline = open();
    const told: string[] = [];
    const one = await flatline.heartbeats({ topic, onRefused: ({ message }) => void told.push(message) });
    const another = await flatline.heartbeats({ topic });
    await alterInForce(admin, [{ topic, settings: { 'max.message.bytes': '1000' } }]);
    for (const id of ['a', 'b', 'c', 'd']) await one.event(id, pages(id === 'b' ? 3_000 : 500));
    await one.flush();
    expect(told).toEqual([expect.stringMatching(/^a record of "b" has 3\d\d\d bytes.*max\.message\.bytes is 1000/)]);
    await another.event('e', pages(3_000));
    await another.beat('f');
    await expect(another.flush()).rejects.toThrow(/"e" has 3\d\d\d bytes/);
    await another.beat('g');
    await flatline.close();
    expect((await read(topic, 0, 5)).map(([key]) => key)).toEqual(['a', 'c', 'd', 'f', 'g']);
  });
});

describe('a client', () => {
  test('sessions beat by themselves, and closing the client puts everything into the log', async () => {
    const topic = await makeTopic(1);
    const flatline = open();
    const sessions = await flatline.sessions({ topic, timeoutMs: 300 });
    const session = sessions.session('anna');
    session.start();
    expect((await read(topic, 0, 3)).map(([key, value]) => [key, value === ''])).toEqual([
      ['anna', false],
      ['anna', true],
      ['anna', true],
    ]);
    session.end();
    await flatline.close();
    const { consumer, close } = await openSummaryConsumer({ kafka, topic, from: 'beginning', until: 'end' });
    const kinds: string[] = [];
    for await (const { kind } of consumer) kinds.push(kind);
    await close();
    expect(kinds.at(-1)).toBe('tombstone');
    await expect(flatline.heartbeats({ topic })).rejects.toThrow(/closed/);
  });

  test('what is still being opened while it closes is closed, and not given', async () => {
    const topic = await makeTopic(1);
    const flatline = open();
    const opening = flatline.summaries({ topic, from: 'beginning' });
    await flatline.close();
    const outcome = opening.then(
      (given) => given.close(),
      (error: unknown) => error,
    );
    expect(await outcome).toEqual(new Error('this client is closed: connect again'));
  });
});

describe('a summary consumer', () => {
  test('[O2] reads summaries and tombstones up to the end there was, or goes on where another stood', async () => {
    const topic = await makeTopic(2);
    const producer = await BatchProducer.open({ clock, connection, topic });
    const close = async (id: string, partition: number): Promise<void> => {
      const headers = [{ name: INCARNATION_HEADER, value: utf8.encode(`${partition}-1`) }];
      const key = utf8.encode(id);
      await producer.add({ key, value: summaryJson(id, `${partition}-1`, partition), headers, partition });
      await producer.add({ key, value: null, headers, partition });
    };
    await close('anna', 0);
    await close('bert', 1);
    await producer.flush();
    const first = await readAll({ kafka, topic, from: 'beginning', until: 'end' });
    expect(first.records.map(nameOf).sort()).toEqual([
      'summary anna',
      'summary bert',
      'tombstone anna',
      'tombstone bert',
    ]);
    await close('carl', 0);
    await producer.close();
    const second = await readAll({ kafka, topic, from: first.positions, until: 'end' });
    expect(second.records.map(nameOf)).toEqual(['summary carl', 'tombstone carl']);
    expect((await readAll({ kafka, topic, from: 'end', until: 'end' })).records).toEqual([]);
  });

  test('a topic that does not exist is named', async () => {
    await expect(openSummaryConsumer({ kafka, topic: 'client-nowhere', from: 'end' })).rejects.toThrow(
      /client-nowhere/,
    );
  });
});

async function readAll(
  options: SummaryConsumerOptions,
): Promise<{ records: OutputRecord[]; positions: ReadonlyMap<number, number> }> {
  const { consumer, close } = await openSummaryConsumer(options);
  const records: OutputRecord[] = [];
  for await (const record of consumer) records.push(record);
  await close();
  return { records, positions: consumer.positions };
}

function nameOf(record: OutputRecord): string {
  const key = 'summary' in record ? record.summary.key : record.key;
  return `${record.kind} ${new TextDecoder().decode(key ?? undefined)}`;
}
