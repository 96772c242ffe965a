// Heartbeats over HTTP on a real broker: `KAFKA_BROKERS`, or one that the test run starts.
import { partitionOf } from '@flatline/base';
import { alterInForce, issueCertificate, makeAuthority } from '@flatline/dev-broker';
import { KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import { systemClock as clock } from '@flatline/system';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type IngestOptions, type IngestServer, openIngestServer } from './index.ts';
import { inputFor } from './input.fixture.ts';
import { recordsOf } from './written.fixture.ts';

const kafka = { brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','), clientId: 'flatline-ingest-test', clock };
const connection = openCluster(kafka);
const topic = `ingest-${randomUUID()}`;
const PARTITIONS = 3;
const TOKEN = 'a long token';
const PAGE = 'https://shop.example';
const SESSIONS = { kind: 'session', timeoutMs: 1_000 };
const inputs = (to: string): IngestOptions['inputs'] => new Map([['visits', inputFor(SESSIONS, to)]]);
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
    inputs: inputs(topic),
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
  return (await recordsOf({ clock, connection }, place, key)).map(({ value }) => value);
}

const codes = (answers: readonly Response[]): number[] => answers.map(({ status }) => status);

test('who offers HTTP/2, as the JDK does by default, is answered in HTTP/1.1, and what it sends is taken', async () => {
  const url = new URL(await serve());
  const socket = connect(Number(url.port), '127.0.0.1');
  await once(socket, 'connect');
  const offer = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAAA';
  const head = `Host: x\r\nAuthorization: Bearer ${TOKEN}\r\n${offer}\r\nContent-Length: 2`;
  socket.write(`POST ${url.pathname}/jdk HTTP/1.1\r\n${head}\r\n\r\n{}`);
  const [answer] = (await once(socket, 'data')) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 202 /);
  socket.destroy();
  expect(await written('jdk')).toEqual(['{}']);
});

describe('TLS', () => {
  const authority = makeAuthority(Date.now());
  const issued = (commonName: string): { readonly cert: string; readonly key: string } => {
    const { key, certificate } = issueCertificate(authority, { commonName, forLoopback: true }, Date.now());
    return { cert: certificate, key };
  };

  /** The first bytes of the answer, and whose certificate was shown. */
  async function ask(url: URL, head: string, body = ''): Promise<{ readonly answer: string; readonly name: unknown }> {
    const socket = connectTls({ host: url.hostname, port: Number(url.port), ca: authority.certificate });
    await once(socket, 'secureConnect');
    socket.write(`${head} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n${body}`);
    const [answer] = (await once(socket, 'data')) as [Buffer];
    const name = socket.getPeerCertificate().subject.CN;
    socket.destroy();
    return { answer: answer.toString('latin1'), name };
  }

  test('[H1] ends here: requests and sockets come over it, and another certificate is shown to new connections', async () => {
    const url = new URL(await serve({ certificate: issued('first') }));
    expect(url.protocol).toBe('https:');
    const post = await ask(url, `POST ${url.pathname}/tls`, 'Content-Length: 0\r\n\r\n');
    expect([post.answer.split('\r\n')[0], post.name]).toEqual(['HTTP/1.1 202 Accepted', 'first']);
    const key = Buffer.alloc(16, 1).toString('base64');
    const offer = `Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}`;
    const socket = await ask(url, `GET ${url.pathname}/tls`, `${offer}\r\n\r\n`);
    expect(socket.answer).toMatch(/^HTTP\/1\.1 101 /);
    const [server] = open;
    expect(() => {
      server!.renew({ cert: 'none', key: 'none' });
    }).toThrow('ingest.tls cannot be used');
    server!.renew(issued('second'));
    expect(await ask(url, `POST ${url.pathname}/tls`, 'Content-Length: 0\r\n\r\n')).toMatchObject({ name: 'second' });
    // Without it nothing is answered, and nothing taken.
    await expect(
      fetch(`${url.href.replace('https', 'http')}/plain`, { method: 'POST', headers: bearer }),
    ).rejects.toThrow();
    expect(await written('plain')).toEqual([]);
  });

  test('[H1] a certificate that cannot be used is no start', async () => {
    await expect(serve({ certificate: { cert: 'none', key: 'none' } })).rejects.toThrow('ingest.tls cannot be used');
  });
});

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
    ['invalid UTF-8', 'bad', Buffer.from('{"type":"\xff"}', 'latin1'), 400],
    ['an object behind white space', 'bad', ' {"type":"VIEW"}', 400],
    ['an object behind a line end', 'bad', '\n{"type":"VIEW"}', 400],
    ['an object behind a byte order mark', 'bad', '\uFEFF{"type":"VIEW"}', 400],
    ['a field of another type', 'bad', '{"type":7}', 400],
    ['a sequence beyond its range', 'bad', '{"sequence":9007199254740993}', 400],
    ['a value in Avro', 'bad', Buffer.from([0, 0, 0, 0, 1, 2]), 400],
    ['an event that is too long', 'bad', JSON.stringify({ type: 'x'.repeat(100) }), 413],
    ['a key that is too long', 'k'.repeat(21), '', 400],
  ])('%s is refused, and nothing is written', async (_name, key, body, code) => {
    const url = await serve();
    const answer = await fetch(`${url}/${key}`, { method: 'POST', headers: bearer, body });
    expect(answer.status).toBe(code);
    expect(await written(key)).toEqual([]);
  });

  test('[I1] what is taken is what the input takes: where its format is another, events are refused', async () => {
    const url = await serve({ inputs: new Map([['visits', inputFor(SESSIONS, topic, 'avro')]]) });
    const post = (body: string): Promise<Response> => fetch(`${url}/avro`, { method: 'POST', headers: bearer, body });
    const refused = await post('{"type":"VIEW"}');
    expect(refused.status).toBe(400);
    expect(await refused.json()).toEqual({ error: expect.stringContaining('unknown-format: ') });
    expect((await post('')).status).toBe(202);
    expect(await written('avro')).toEqual(['']);
  });

  test('[I4] refusals are in words of ours, and name the setting', async () => {
    const url = await serve({ perSecondMax: 4 });
    const errorOf = async (answer: Response): Promise<unknown> => {
      const said: unknown = await answer.json();
      expect(Object.keys(said as object)).toEqual(['error']);
      return (said as { readonly error: unknown }).error;
    };
    const post = (path: string, body = ''): Promise<Response> => fetch(path, { method: 'POST', headers: bearer, body });
    expect(await errorOf(await post(`${url}/words`, 'x'.repeat(101)))).toBe(
      'the event has 101 bytes, and at most 100 are taken (ingest.maxEventBytes)',
    );
    expect(await errorOf(await post(`${url}/%zz`))).toBe('the address is not valid: /ingest/v1/visits/%zz');
    expect(await errorOf(await post(`${url}/a/b`))).toContain('/ingest/v1/PIPELINE/KEY');
    expect(await errorOf(await fetch(`${url}/words`, { method: 'PUT', headers: bearer }))).toContain('no PUT');
    const answers = await Promise.all(Array.from({ length: 5 }, () => post(`${url}/words`)));
    const late = answers.find(({ status }) => status === 429)!;
    expect(await errorOf(late)).toBe('at most 4 requests a second of one address are taken (ingest.maxPerSecond)');
    expect(late.headers.get('retry-after')).toBe('1');
  });

  test('one address tries only so many tokens in a second, on any path', async () => {
    const url = await serve({ perSecondMax: 3 });
    const guess = (path: string): Promise<Response> =>
      fetch(path, { method: 'POST', headers: { authorization: 'Bearer guess' } });
    const answers = await Promise.all(Array.from({ length: 12 }, () => guess(`${url}/guess`)));
    expect(codes(answers)).toContain(429);
    // Elsewhere the token is not looked at.
    expect((await guess(`${url}/a/b`)).status).toBe(404);
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
    const url = await serve({ inputs: inputs(`${topic}-missing`) });
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
  const large = JSON.stringify({ attributes: { page: 'x'.repeat(300) } });

  test('many small events at once are taken, though one batch would not hold them', async () => {
    const url = await serve({ inputs: inputs(await limited(300)) });
    const one = (index: number): Promise<Response> =>
      fetch(`${url}/${index}`, {
        method: 'POST',
        headers: bearer,
        body: JSON.stringify({ attributes: { page: 'x'.repeat(70) } }),
      });
    const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => one(index)));
    expect(new Set(codes(answers))).toEqual(new Set([202]));
  });

  test('what it never takes is answered with 413, and no other request is', async () => {
    const url = await serve({ inputs: inputs(await limited(300)), eventBytesMax: 4_096 });
    const post = (index: number): Promise<Response> =>
      fetch(`${url}/${index}`, { method: 'POST', headers: bearer, body: index % 5 === 2 ? large : '{"type":"VIEW"}' });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => post(index)));
    expect(codes(answers)).toEqual(answers.map((_, index) => (index % 5 === 2 ? 413 : 202)));
    expect(await answers[2]!.json()).toMatchObject({ error: expect.stringMatching(/max\.message\.bytes/) });
  });

  test('the limit is lowered meanwhile: 413 for what the brokers refuse, and for nothing else', async () => {
    const input = await limited(100_000);
    const url = await serve({ inputs: inputs(input), eventBytesMax: 4_096 });
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
    const url = await serve({ pingIntervalMs: 1_000 });
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

  test.each([
    ['with a token', `Authorization: Bearer ${TOKEN}\r\n`],
    ['without one', ''],
  ])('that has not sent all of its request does not hold up the end, %s', async (_which, token) => {
    const url = new URL(await serve());
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    const cut = once(socket, 'close');
    socket.on('error', () => undefined).resume();
    socket.write(`POST ${url.pathname}/k HTTP/1.1\r\nHost: x\r\n${token}Content-Length: 50\r\n\r\n{`);
    // Another request on the server shows that the first has arrived.
    expect((await fetch(`${url.href}/other`, { method: 'POST', headers: bearer })).status).toBe(202);
    await open.pop()!.close();
    await cut;
  });

  test('whose client ignores that it is closed does not hold up the end', async () => {
    const url = new URL(await serve());
    const socket = connect(Number(url.port), url.hostname);
    const key = Buffer.alloc(16).toString('base64');
    socket.write(
      `GET ${url.pathname}/ws-deaf?token=${encodeURIComponent(TOKEN)} HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\n` +
        `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString('latin1')).toContain('101 Switching Protocols');
    const gone = once(socket, 'close');
    // In ws this takes 30 s, which is longer than a test may take.
    await open.pop()!.close();
    await gone;
  });

  test('is closed with as much of a reason as a frame holds', async () => {
    const url = await serve({ inputs: new Map([['visits', inputFor({ ...SESSIONS, maxKeyBytes: 100 }, topic)]]) });
    const other = socketTo(url.replace('visits', 'x'.repeat(200)), 'ws-nowhere');
    expect(await ended(other)).toMatchObject({ code: 1008, reason: expect.stringMatching(/^no pipeline x+…$/) });
  });

  test('is closed with 1009 for an event that the input never takes', async () => {
    const url = await serve({ inputs: inputs(await limited(300)), eventBytesMax: 4_096 });
    const socket = socketTo(url, 'ws-large');
    await opened(socket);
    socket.send(JSON.stringify({ attributes: { page: 'x'.repeat(300) } }));
    expect(await ended(socket)).toMatchObject({ code: 1009, reason: expect.stringContaining('takes') });
  });
});
