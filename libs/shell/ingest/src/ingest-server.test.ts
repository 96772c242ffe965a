// Heartbeats over HTTP on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { alterInForce } from '@flatline/dev-broker';
import { KafkaLogScan, KafkaTopicAdmin, openCluster, partitionOf } from '@flatline/kafka';
import { systemClock as clock } from '@flatline/system';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type IngestOptions, type IngestServer, openIngestServer } from './index.ts';

const kafka = { brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','), clientId: 'flatline-ingest-test', clock };
const connection = openCluster(kafka);
const topic = `ingest-${randomUUID()}`;
const PARTITIONS = 3;
const TOKEN = 'a long token';
const PAGE = 'https://shop.example';
const bearer = { authorization: `Bearer ${TOKEN}` };

beforeAll(async () => {
  await new KafkaTopicAdmin({ clock, connection }).createTopics([
    { topic, partitions: PARTITIONS, replicationFactor: 1 },
  ]);
});
const open: IngestServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(() => {
  connection.close();
});

async function serve(changes: Partial<IngestOptions> = {}): Promise<string> {
  const server = await openIngestServer({
    clock,
    kafka,
    host: '127.0.0.1',
    port: 0,
    tokens: ['another', TOKEN],
    origins: [PAGE],
    inputs: new Map([['visits', topic]]),
    keyBytesMax: 20,
    eventBytesMax: 100,
    perSecondMax: 1_000,
    socketsMax: 10,
    pingIntervalMs: 60_000,
    ...changes,
  });
  open.push(server);
  return `${server.address}/ingest/v1/visits`;
}

/** Values of a key, in the partition where every other producer would look for it; `null` is an end. */
async function written(key: string): Promise<(string | null)[]> {
  const place = { topic, partition: partitionOf(Buffer.from(key), PARTITIONS) };
  const scan = new KafkaLogScan({ clock, connection });
  const { logStartOffset, lastStableOffset } = await scan.bounds(place);
  const values: (string | null)[] = [];
  for (let at = logStartOffset; at < lastStableOffset;) {
    const { cursor, nextOffset } = await scan.read(place, at);
    while (cursor.next()) {
      const text = (start: number, length: number): string =>
        Buffer.from(cursor.bytes.subarray(start, start + length)).toString('utf8');
      if (text(cursor.keyStart, cursor.keyLength) !== key) continue;
      values.push(cursor.valueLength < 0 ? null : text(cursor.valueStart, cursor.valueLength));
    }
    at = nextOffset;
  }
  return values;
}

const codes = (answers: readonly Response[]): number[] => answers.map(({ status }) => status);

describe('heartbeats over HTTP', () => {
  test('[I2] a request without a body is a heartbeat, a JSON object an event, DELETE an end: in the log once it is answered', async () => {
    const url = await serve();
    const post = (body?: string): Promise<Response> =>
      fetch(`${url}/gerät%2F7`, { method: 'POST', headers: bearer, ...(body !== undefined && { body }) });
    const event = '{"type":"VIEW","attributes":{"page":"/cart"}}';
    const answers = [
      await post(),
      await post(event),
      await fetch(`${url}/gerät%2F7`, { method: 'DELETE', headers: bearer }),
    ];
    expect(codes(answers)).toEqual([202, 202, 202]);
    expect(await written('gerät/7')).toEqual(['', event, null]);
  });

  test('a token is needed, in a header or in the query', async () => {
    const url = await serve();
    const post = (query: string, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(`${url}/token${query}`, { method: 'POST', headers });
    const answers = [await post(''), await post('?token=wrong'), await post('', { authorization: 'Bearer a' })];
    expect(codes(answers)).toEqual([401, 401, 401]);
    expect(codes([await post(`?token=${encodeURIComponent(TOKEN)}`), await post('', bearer)])).toEqual([202, 202]);
    expect(await written('token')).toHaveLength(2);
  });

  test('a page may send if its origin is listed', async () => {
    const url = await serve();
    const from = (origin: string): Promise<Response> =>
      fetch(`${url}/page`, { method: 'POST', headers: { ...bearer, origin } });
    const listed = await from(PAGE);
    expect(listed.status).toBe(202);
    expect(listed.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect((await from('https://other.example')).status).toBe(403);
    expect(await written('page')).toHaveLength(1);
  });

  test.each([
    ['an array', 'bad', '[1]', 400],
    ['no JSON', 'bad', 'hello', 400],
    ['invalid UTF-8', 'bad', Buffer.from([0x7b, 0xff, 0x7d]), 400],
    ['an event that is too long', 'bad', JSON.stringify({ type: 'x'.repeat(100) }), 413],
    ['a key that is too long', 'k'.repeat(21), '', 400],
  ])('%s is refused, and nothing is written', async (_name, key, body, code) => {
    const url = await serve();
    const answer = await fetch(`${url}/${key}`, { method: 'POST', headers: bearer, body });
    expect(answer.status).toBe(code);
    expect(await written(key)).toEqual([]);
  });

  test('another pipeline is not found, and one address sends only so much in a second', async () => {
    const url = await serve({ perSecondMax: 3 });
    expect((await fetch(url.replace('visits', 'other') + '/a', { method: 'POST', headers: bearer })).status).toBe(404);
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => fetch(`${url}/often`, { method: 'POST', headers: bearer })),
    );
    expect(codes(answers)).toContain(429);
  });

  test('a topic that is not there: 503, with a time to try again', async () => {
    const url = await serve({ inputs: new Map([['visits', `${topic}-missing`]]) });
    const answer = await fetch(`${url}/lost`, { method: 'POST', headers: bearer });
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('1');
  });
});

/** An input that takes batches of so many bytes. */
async function limited(bytes: number): Promise<string> {
  const small = `ingest-${randomUUID()}`;
  await new KafkaTopicAdmin({ clock, connection }).createTopics([
    { topic: small, partitions: 1, replicationFactor: 1, settings: { 'max.message.bytes': String(bytes) } },
  ]);
  return small;
}

describe('an input that takes little', () => {
  const large = JSON.stringify({ type: 'x'.repeat(300) });

  test('many small events at once are taken, though one batch would not hold them', async () => {
    const url = await serve({ inputs: new Map([['visits', await limited(300)]]) });
    const one = (index: number): Promise<Response> =>
      fetch(`${url}/${index}`, { method: 'POST', headers: bearer, body: JSON.stringify({ type: 'x'.repeat(80) }) });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => one(index)));
    expect(new Set(codes(answers))).toEqual(new Set([202]));
  });

  test('what it never takes is answered with 413, and no other request is', async () => {
    const url = await serve({ inputs: new Map([['visits', await limited(300)]]), eventBytesMax: 4_096 });
    const post = (index: number): Promise<Response> =>
      fetch(`${url}/${index}`, { method: 'POST', headers: bearer, body: index % 5 === 2 ? large : '{"type":"VIEW"}' });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(index)));
    expect(codes(answers)).toEqual(answers.map((_, index) => (index % 5 === 2 ? 413 : 202)));
    expect(await answers[2]!.json()).toMatchObject({ error: expect.stringMatching(/max\.message\.bytes/) });
  });

  test('the limit is lowered meanwhile: 413 for what the brokers refuse, and for nothing else', async () => {
    const input = await limited(100_000);
    const url = await serve({ inputs: new Map([['visits', input]]), eventBytesMax: 4_096 });
    const post = (index: number): Promise<Response> =>
      fetch(`${url}/${index}`, { method: 'POST', headers: bearer, body: index % 5 === 2 ? large : '{"type":"VIEW"}' });
    expect((await post(2)).status).toBe(202);
    await alterInForce(new KafkaTopicAdmin({ clock, connection }), [
      { topic: input, settings: { 'max.message.bytes': '300' } },
    ]);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(index)));
    expect(codes(answers)).toEqual(answers.map((_, index) => (index % 5 === 2 ? 413 : 202)));
  });
});

describe('a WebSocket', () => {
  const socketTo = (url: string, key: string, token = TOKEN): WebSocket =>
    new WebSocket(`${url.replace('http', 'ws')}/${key}?token=${encodeURIComponent(token)}`);
  const ended = (socket: WebSocket): Promise<CloseEvent> =>
    new Promise((resolve) => {
      socket.addEventListener('close', resolve);
    });
  const opened = (socket: WebSocket): Promise<unknown> =>
    new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });

  test('beats when it opens, with each message, and with each pong; that it closes is no end', async () => {
    const url = await serve({ pingIntervalMs: 50 });
    const socket = socketTo(url, 'ws');
    await opened(socket);
    socket.send('{"type":"VIEW"}');
    while ((await written('ws')).length < 4) await new Promise(setImmediate);
    socket.close();
    await ended(socket);
    const values = await written('ws');
    expect(values.filter((value) => value === '{"type":"VIEW"}')).toHaveLength(1);
    expect(values.filter((value) => value === '').length).toBeGreaterThanOrEqual(3);
    expect(values).not.toContain(null);
  });

  test('is closed with the reason for what it may not send', async () => {
    const url = await serve({ socketsMax: 1 });
    await expect(opened(socketTo(url, 'ws-refused', 'wrong'))).rejects.toBeDefined();
    const first = socketTo(url, 'ws-first');
    await opened(first);
    expect(await ended(socketTo(url, 'ws-second'))).toMatchObject({ code: 1013 });
    first.send('[]');
    expect(await ended(first)).toMatchObject({ code: 1008, reason: expect.stringContaining('JSON object') });
  });

  test('is closed with 1009 for an event that the input never takes', async () => {
    const url = await serve({ inputs: new Map([['visits', await limited(300)]]), eventBytesMax: 4_096 });
    const socket = socketTo(url, 'ws-large');
    await opened(socket);
    socket.send(JSON.stringify({ type: 'x'.repeat(300) }));
    expect(await ended(socket)).toMatchObject({ code: 1009, reason: expect.stringContaining('takes') });
  });
});
