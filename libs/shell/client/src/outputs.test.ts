// Groups of consumers on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { BatchProducer, KafkaLogAdmin, KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import { INCARNATION_HEADER } from '@flatline/ports';
import { systemClock as clock } from '@flatline/system';
import { randomUUID } from 'node:crypto';
import { type CompletedSession, connect, type Flatline, type Trouble } from './index.ts';
import { openSummaryConsumer } from './parts.ts';
import { summaryJson } from './summary.fixture.ts';

const PARTITIONS = 4;
const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',');
const kafka = { brokers, clientId: 'flatline-client-test', clock };
const connection = openCluster(kafka);
const utf8 = new TextEncoder();
const opened: Flatline[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()));
});
afterAll(() => {
  connection.close();
});

function client(): Flatline {
  const made = connect({ brokers });
  opened.push(made);
  return made;
}

async function makeTopic(): Promise<string> {
  const topic = `completed-${randomUUID()}`;
  const admin = new KafkaTopicAdmin({ clock, connection });
  await admin.createTopics([{ topic, partitions: PARTITIONS, replicationFactor: 1 }]);
  return topic;
}

/** Closes sessions by these names, one partition after another, as the processor writes them. */
async function complete(topic: string, names: readonly string[]): Promise<void> {
  const producer = await BatchProducer.open({ clock, connection, topic });
  for (const [index, name] of names.entries()) {
    const partition = index % PARTITIONS;
    const incarnation = `${partition}-${name}`;
    const headers = [{ name: INCARNATION_HEADER, value: utf8.encode(incarnation) }];
    const key = utf8.encode(name);
    await producer.add({ key, value: summaryJson(name, incarnation, partition), headers, partition });
    await producer.add({ key, value: null, headers, partition });
  }
  await producer.close();
}

const nameOf = ({ summary }: CompletedSession): string => new TextDecoder().decode(summary.key);

/** Handles so many, and ends as an application does. */
async function handle(topic: string, group: string, count: number): Promise<string[]> {
  const ending = new AbortController();
  const names: string[] = [];
  for await (const session of client().completedSessions({ topic, group, signal: ending.signal })) {
    names.push(nameOf(session));
    if (names.length === count) ending.abort();
  }
  return names;
}

describe('completed sessions', () => {
  test('CS1: a group goes on where it stands, and is given again what it left unhandled', async () => {
    const topic = await makeTopic();
    await complete(topic, ['a', 'b', 'c', 'd', 'e', 'f']);
    const first = await handle(topic, `${topic}-billing`, 3);
    let left = '';
    for await (const session of client().completedSessions({ topic, group: `${topic}-billing` })) {
      left = nameOf(session);
      break;
    }
    const rest = await handle(topic, `${topic}-billing`, 3);
    expect([...first, ...rest].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
    expect(rest).toContain(left);
    expect((await handle(topic, `${topic}-mailing`, 6)).sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
  });

  test('consumers of one group share the partitions, and a session has the same id for each', async () => {
    const topic = await makeTopic();
    const seen = { a: new Map<string, string>(), b: new Map<string, string>() };
    let look = (): void => undefined;
    /** Resolves once every one of these was handled by one of them. */
    const handled = (names: readonly string[]): Promise<void> =>
      new Promise((resolve) => {
        look = () => {
          const all = new Set([...seen.a.values(), ...seen.b.values()]);
          if (names.every((name) => all.has(name))) resolve();
        };
        look();
      });
    const ending = new AbortController();
    const follow = (who: 'a' | 'b'): Promise<void> =>
      client().handleCompletedSessions({
        topic,
        group: topic,
        signal: ending.signal,
        commitIntervalMs: 10,
        handler: (session) => {
          seen[who].set(session.id, nameOf(session));
          look();
        },
      });
    const both = [follow('a'), follow('b')];
    // Until both have partitions.
    for (let round = 0; seen.a.size === 0 || seen.b.size === 0; round += 1) {
      const names = Array.from({ length: PARTITIONS }, (_, index) => `round-${round}-${index}`);
      await complete(topic, names);
      await handled(names);
    }
    for (const each of [seen.a, seen.b]) each.clear();
    const names = Array.from({ length: 40 }, (_, index) => `session-${index}`);
    await complete(topic, names);
    await handled(names);
    ending.abort();
    await Promise.all(both);
    // Some may be given twice while partitions move, not all.
    expect(seen.a.size + seen.b.size).toBeLessThan(2 * names.length);
    for (const [id, name] of [...seen.a, ...seen.b]) expect(id).toMatch(new RegExp(`^\\d-${name}/0$`));
  });

  test('a handler that fails is called again; what it never manages goes to the dead letters', async () => {
    const [topic, deadLetterTopic] = [await makeTopic(), await makeTopic()];
    await complete(topic, ['good', 'late', 'poison', 'last']);
    const calls = new Map<string, number>();
    const ending = new AbortController();
    const done = new Set<string>();
    await client().handleCompletedSessions({
      topic,
      group: 'billing',
      deadLetterTopic,
      retries: { attempts: 3, firstMs: 1 },
      signal: ending.signal,
      handler: (session) => {
        const name = nameOf(session);
        calls.set(name, (calls.get(name) ?? 0) + 1);
        if (name === 'poison' && calls.get(name) === 3) done.add(name);
        if (done.size === 4) ending.abort();
        if (name === 'poison' || (name === 'late' && calls.get(name)! < 3)) throw new Error(`no ${name}`);
        done.add(name);
        if (done.size === 4) ending.abort();
      },
    });
    expect(calls.get('late')).toBe(3);
    expect(calls.get('poison')).toBe(3);
    const { consumer, close } = await openSummaryConsumer({
      kafka,
      topic: deadLetterTopic,
      from: 'beginning',
      until: 'end',
    });
    const letters = [];
    for await (const record of consumer) letters.push(record);
    await close();
    expect(letters).toMatchObject([{ kind: 'summary', summary: { incarnation: '2-poison' } }]);
  });

  test('[S11] a session that opens or is updated is given where its state is asked for, and passed over where it is not', async () => {
    const topic = await makeTopic();
    const producer = await BatchProducer.open({ clock, connection, topic });
    const say = async (name: string, more: object): Promise<void> => {
      const value = summaryJson(name, `0-${name}`, 0, more);
      await producer.add({ key: utf8.encode(name), value, headers: [], partition: 0 });
    };
    // More than may be strangers to the topic.
    for (let i = 0; i < 12; i += 1) await say(`${i}`, { state: 'OPENED', reason: '', lastOffset: i });
    await say('3', { state: 'UPDATED', reason: '', lastOffset: 20 });
    await say('3', { state: 'CLOSED' });
    await producer.close();
    const read = async (group: string, count: number, options: object = {}): Promise<string[]> => {
      const ids: string[] = [];
      const ending = new AbortController();
      const all = { topic, group: `${topic}-${group}`, signal: ending.signal, ...options };
      for await (const { id, summary } of client().summaries(all)) {
        ids.push(`${id} ${summary.state}`);
        if (ids.length === count) ending.abort();
      }
      return ids;
    };
    expect(await read('closed', 1)).toEqual(['0-3/0 CLOSED']);
    expect(await read('lives', 2, { states: ['UPDATED', 'CLOSED'] })).toEqual([
      '0-3/UPDATED/20 UPDATED',
      '0-3/0 CLOSED',
    ]);
    const all = await read('all', 14, { states: ['OPENED', 'UPDATED', 'CLOSED'] });
    expect([all[0], all.length]).toEqual(['0-0/OPENED/0 OPENED', 14]);
    expect(() => client().summaries({ topic, group: 'any', states: [] })).toThrow(
      "summaries: states is an array of 0: give an array of at least one of 'OPENED', 'UPDATED' and 'CLOSED'",
    );
  });

  test('without dead letters the handler has the last word, and the session is given again', async () => {
    const topic = await makeTopic();
    await complete(topic, ['poison']);
    const handling = client().handleCompletedSessions({
      topic,
      group: topic,
      retries: { attempts: 2, firstMs: 1 },
      handler: () => Promise.reject(new Error('no money')),
    });
    await expect(handling).rejects.toThrow('no money');
    expect(await handle(topic, topic, 1)).toEqual(['poison']);
  });

  test('closing the client ends what waits, and a topic that does not exist is named', async () => {
    const topic = await makeTopic();
    const flatline = client();
    const waiting = flatline.handleCompletedSessions({ topic, group: topic, handler: () => undefined });
    await flatline.close();
    await waiting;
    const nowhere = client().handleCompletedSessions({
      topic: 'client-nowhere',
      group: 'billing',
      handler: () => undefined,
    });
    await expect(nowhere).rejects.toThrow(/client-nowhere/);
  });
});

describe('outputs of the other kinds', () => {
  test('a run that no attempt has managed is a dead letter as it was, and is read as one', async () => {
    const [topic, deadLetterTopic] = [await makeTopic(), await makeTopic()];
    const producer = await BatchProducer.open({ clock, connection, topic });
    const headers = Object.entries({
      trace: 'abc',
      'flatline-due-at': '5',
      'flatline-schedule': '0-1',
      'flatline-run': '2',
    });
    await producer.add({
      key: utf8.encode('mail'),
      value: Uint8Array.of(0xff),
      headers: headers.map(([name, value]) => ({ name, value: utf8.encode(value) })),
    });
    await producer.close();
    const ending = new AbortController();
    let calls = 0;
    await client().handleRuns({
      topic,
      group: topic,
      deadLetterTopic,
      retries: { attempts: 3, firstMs: 1 },
      signal: ending.signal,
      handler: () => {
        calls += 1;
        if (calls === 3) ending.abort();
        throw new Error('no post');
      },
    });
    expect(calls).toBe(3);
    for await (const run of client().outputs({ kind: 'schedule', topic: deadLetterTopic, group: topic })) {
      expect(run).toMatchObject({ id: '0-1/2', keyText: 'mail', run: { dueAt: 5, number: 2 } });
      expect([...run.run.value]).toEqual([0xff]);
      expect(run.run.headers).toEqual([{ name: 'trace', value: utf8.encode('abc') }]);
      break;
    }
  });

  test('[I4] a topic of another kind is refused by its name, and what is passed over is told of', async () => {
    const topic = await makeTopic();
    await complete(
      topic,
      Array.from({ length: 40 }, (_, at) => `session-${at}`),
    );
    const told: string[] = [];
    const reading = client().batches({ topic, group: topic, onTrouble: ({ message }) => told.push(message) });
    await expect(reading.next()).rejects.toThrow(
      /^the first 10 records of topic .* are no batches .*missing-field: .* give the output topic of a pipeline that debounces/,
    );
    expect(told).toEqual([expect.stringContaining('missing-field: key is missing. onUnreadable is told of each')]);
  });

  test('what retention removed before the group read it is told of, and reading goes on behind it', async () => {
    const topic = await makeTopic();
    await complete(topic, ['a', 'b', 'c', 'd']);
    expect(await handle(topic, topic, 1)).toHaveLength(1);
    await complete(topic, ['e', 'f', 'g', 'h']);
    const admin = new KafkaLogAdmin({ clock, connection });
    // The first session of each partition goes, with its tombstone.
    await Promise.all(Array.from({ length: PARTITIONS }, (_, partition) => admin.truncate({ topic, partition }, 2)));
    const gaps: Trouble[] = [];
    const ending = new AbortController();
    const names: string[] = [];
    const onTrouble = (trouble: Trouble): number => gaps.push(trouble);
    for await (const session of client().summaries({ topic, group: topic, onTrouble, signal: ending.signal })) {
      names.push(nameOf(session));
      if (names.length === 4) ending.abort();
    }
    expect(names.sort()).toEqual(['e', 'f', 'g', 'h']);
    expect(gaps.length).toBeGreaterThan(2);
    expect(gaps[0]).toMatchObject({ kind: 'gap', to: 2 });
  });

  test('an abort ends what waits for a first output, and what reads is committed', async () => {
    const topic = await makeTopic();
    const ending = new AbortController();
    const waiting = client().leaseEvents({ topic, group: topic, signal: ending.signal }).next();
    ending.abort();
    expect(await waiting).toEqual({ done: true, value: undefined });
  });
});
