// Items, schedules and batches over HTTP on a real broker, by the readers of the pipelines themselves.
import { partitionOf } from '@flatline/base';
import { KafkaTopicAdmin, openCluster } from '@flatline/kafka';
import { systemClock as clock } from '@flatline/system';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type IngestServer, openIngestServer } from './index.ts';
import { inputFor } from './input.fixture.ts';
import { recordsOf, type WrittenRecord } from './written.fixture.ts';

const kafka = { brokers: (process.env['KAFKA_BROKERS'] ?? '').split(','), clientId: 'flatline-ingest-test', clock };
const connection = openCluster(kafka);
const PARTITIONS = 3;
const TOPICS = { visits: `in-${randomUUID()}`, edits: `in-${randomUUID()}`, later: `in-${randomUUID()}` };
const AUTHORIZATION = 'Bearer sesame';
const EVENT_BYTES_MAX = 200;

beforeAll(async () => {
  await new KafkaTopicAdmin({ clock, connection }).createTopics(
    Object.values(TOPICS).map((topic) => ({ topic, partitions: PARTITIONS, replicationFactor: 1 })),
  );
});
const open: IngestServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});
afterAll(() => {
  connection.close();
});

async function serve(): Promise<string> {
  const server = await openIngestServer({
    clock,
    kafka,
    host: '127.0.0.1',
    port: 0,
    tokens: ['sesame'],
    origins: [],
    inputs: new Map([
      ['visits', inputFor({ kind: 'session', timeoutMs: 1_000 }, TOPICS.visits)],
      ['edits', inputFor({ kind: 'debounce', waitMs: 1_000, dedupeBy: 'X-Id', maxBytes: 100 }, TOPICS.edits)],
      ['later', inputFor({ kind: 'schedule', targets: ['mail'], maxMessageBytes: 120 }, TOPICS.later)],
      ['locks', inputFor({ kind: 'lease', timeoutMs: 1_000 }, 'none')],
    ]),
    eventBytesMax: EVENT_BYTES_MAX,
    perSecondMax: 1_000,
    socketsMax: 10,
    pingIntervalMs: 60_000,
  });
  open.push(server);
  return `${server.address}/ingest/v1`;
}

interface Request {
  readonly method?: 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

async function ask(
  url: string,
  { method = 'POST', headers = {}, body }: Request = {},
): Promise<readonly [number, unknown]> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: AUTHORIZATION, ...headers },
    ...(body !== undefined && { body }),
  });
  return [answer.status, await answer.json()];
}

function written(topic: string, key: string): Promise<WrittenRecord[]> {
  return recordsOf({ clock, connection }, { topic, partition: partitionOf(Buffer.from(key), PARTITIONS) }, key);
}

const error = (pattern: RegExp): unknown => ({ error: expect.stringMatching(pattern) });
const ACCEPTED = [202, { accepted: true }] as const;

describe('items over HTTP', () => {
  test('[I10][B2] the body is an item, whatever its bytes; DELETE cancels, and FLUSH fires, with a body or without', async () => {
    const url = `${await serve()}/edits/doc`;
    const flush = { 'flatline-command': 'FLUSH' };
    const bytes = Uint8Array.from([0xff, 0, 1]);
    expect(await ask(url, { body: 'plain', headers: { 'flatline-wait-ms': '50', 'x-id': 'é' } })).toEqual(ACCEPTED);
    expect(await ask(url, { body: bytes })).toEqual(ACCEPTED);
    expect(await ask(url)).toEqual(ACCEPTED);
    expect(await ask(url, { body: 'last', headers: flush })).toEqual(ACCEPTED);
    expect(await ask(url, { headers: flush })).toEqual(ACCEPTED);
    expect(await ask(url, { method: 'DELETE' })).toEqual(ACCEPTED);
    expect(await written(TOPICS.edits, 'doc')).toEqual([
      { value: 'plain', headers: { 'flatline-wait-ms': '50', 'X-Id': '\xe9' } },
      { value: Buffer.from(bytes).toString('latin1'), headers: {} },
      { value: '', headers: {} },
      { value: 'last', headers: flush },
      { value: null, headers: flush },
      { value: null, headers: {} },
    ]);
  });

  test.each([
    ['a wait that is none', { body: 'x', headers: { 'flatline-wait-ms': 'soon' } }, /^invalid-wait: /],
    ['a command that is none', { body: 'x', headers: { 'flatline-command': 'ERASE' } }, /^invalid-command: /],
    ['a cancel with a value', { body: 'x', headers: { 'flatline-command': 'CANCEL' } }, /^invalid-command: /],
    [
      'a header that there is not',
      { body: 'x', headers: { 'flatline-wait': '1' } },
      /no header flatline-wait: .*flatline-wait-ms/,
    ],
    ['what no window holds', { body: 'x'.repeat(101) }, /^item-too-large: .*maxBytes is 100/],
    ['too long an identity', { body: 'x', headers: { 'x-id': 'y'.repeat(257) } }, /^dedupe-value-too-long: /],
  ])('[I10][I1] %s is refused, in the words of its dead letter', async (_what, request, why) => {
    expect(await ask(`${await serve()}/edits/refused`, request)).toEqual([400, error(why)]);
    expect(await written(TOPICS.edits, 'refused')).toEqual([]);
  });
});

describe('schedules over HTTP', () => {
  test('[I10][D1] the body is the message, and the headers say when; DELETE cancels, with an id that one', async () => {
    const url = `${await serve()}/later/anna`;
    const when = { 'flatline-delay-ms': '3600000', 'flatline-schedule-id': 'dentist', 'flatline-target': 'mail' };
    expect(await ask(url, { body: '{"remind":"dentist"}', headers: when })).toEqual(ACCEPTED);
    expect(await ask(url, { headers: { 'flatline-command': 'PAUSE' } })).toEqual(ACCEPTED);
    expect(await ask(url, { method: 'DELETE', headers: { 'flatline-schedule-id': 'dentist' } })).toEqual(ACCEPTED);
    expect(await written(TOPICS.later, 'anna')).toEqual([
      { value: '{"remind":"dentist"}', headers: when },
      { value: '', headers: { 'flatline-command': 'PAUSE' } },
      { value: null, headers: { 'flatline-schedule-id': 'dentist' } },
    ]);
  });

  test.each([
    ['no time', {}, /^no-schedule: one of the headers flatline-due-at/],
    ['two times', { 'flatline-delay-ms': '1', 'flatline-every-ms': '1000' }, /^conflicting-schedule: /],
    ['seconds for milliseconds', { 'flatline-due-at': '1796000000' }, /^invalid-due-at: .*milliseconds/],
    ['no such target', { 'flatline-delay-ms': '1', 'flatline-target': 'sms' }, /^unknown-target: .*mail/],
    ['an expression that is none', { 'flatline-cron': 'at noon' }, /^invalid-cron: /],
  ])('[I10][I1] %s is refused, in the words of its dead letter', async (_what, headers, why) => {
    expect(await ask(`${await serve()}/later/refused`, { body: 'x', headers })).toEqual([400, error(why)]);
    expect(await written(TOPICS.later, 'refused')).toEqual([]);
  });

  test('[I10][D1] a message beyond maxMessageBytes is refused', async () => {
    const url = `${await serve()}/later/refused`;
    const headers = { 'flatline-delay-ms': '1' };
    expect(await ask(url, { body: 'x'.repeat(121), headers })).toEqual([400, error(/^message-too-large: .*120/)]);
  });
});

test('[I10][L1] leases are not asked for, since their answers need a reader', async () => {
  expect(await ask(`${await serve()}/locks/door`)).toEqual([400, error(/^locks takes no records over HTTP: a lease/)]);
});

describe('what is sent again under an idempotency key', () => {
  test('[I10] is written once, also while the first is under way; with other content it is refused', async () => {
    const url = `${await serve()}/edits/again`;
    const headers = { 'idempotency-key': 'k1' };
    const answers = await Promise.all([1, 2, 3].map(() => ask(url, { body: 'one', headers })));
    expect(answers).toEqual([ACCEPTED, ACCEPTED, ACCEPTED]);
    expect(await ask(url, { body: 'one', headers: { 'idempotency-key': 'k2' } })).toEqual(ACCEPTED);
    expect(await ask(url, { body: 'two', headers })).toEqual([422, error(/another request/)]);
    expect(await written(TOPICS.edits, 'again')).toEqual([
      { value: 'one', headers },
      { value: 'one', headers: { 'idempotency-key': 'k2' } },
    ]);
  });

  test('[I10][S5] is the id of an event that has none, so that its session counts it once after a restart, too', async () => {
    const headers = { 'idempotency-key': 'order "7"' };
    const post = async (body: string): Promise<unknown> => ask(`${await serve()}/visits/again`, { body, headers });
    expect(await post('{"type":"BUY"}')).toEqual(ACCEPTED);
    expect(await post('{ }')).toEqual(ACCEPTED);
    expect(await post('{"type":"BUY","eventId":"own"}')).toEqual(ACCEPTED);
    expect((await written(TOPICS.visits, 'again')).map(({ value }) => JSON.parse(value!) as unknown)).toEqual([
      { type: 'BUY', eventId: 'order "7"' },
      { eventId: 'order "7"' },
      { type: 'BUY', eventId: 'own' },
    ]);
  });

  test('[I10][I4] needs a key of 1 to 256 characters', async () => {
    const headers = { 'idempotency-key': 'k'.repeat(257) };
    expect(await ask(`${await serve()}/edits/long`, { body: 'x', headers })).toEqual([400, error(/1 to 256/)]);
  });
});

describe('a batch', () => {
  const batch = (...records: readonly unknown[]): string => JSON.stringify(records);

  test('[I10] is up to a thousand records, in their order, and in the log once it is answered', async () => {
    const url = await serve();
    const records = Array.from({ length: 1_000 }, (_, i) => ({ key: `k${i % 7}`, value: i }));
    expect(await ask(`${url}/edits`, { body: batch(...records) })).toEqual([202, { accepted: true, count: 1_000 }]);
    const found = await Promise.all(Array.from({ length: 7 }, (_, i) => written(TOPICS.edits, `k${i}`)));
    expect(found.map((each) => each.map(({ value }) => Number(value)))).toEqual(
      found.map((_, i) => Array.from({ length: Math.ceil((1_000 - i) / 7) }, (_each, n) => 7 * n + i)),
    );
    expect(await ask(`${url}/edits`, { body: batch(...records, { key: 'one more' }) })).toEqual([
      413,
      error(/1001 records, and at most 1000/),
    ]);
  });

  test('[I10] has values in JSON with all their digits, text as it is, bytes in base64, and deletions', async () => {
    const url = await serve();
    const body =
      '[{"key":"v","value":{"sum":12345678901234567890.25,"__proto__":1}},{"key":"v","value":"text"},' +
      '{"key":"v","valueBase64":"/wA="},{"key":"v","delete":true},{"key":"v"},' +
      '{"key":"v","value":1e2,"headers":{"flatline-wait-ms":"5","X-Id":"é"},"idempotencyKey":"i"}]';
    expect(await ask(`${url}/edits`, { body })).toEqual([202, { accepted: true, count: 6 }]);
    expect(await written(TOPICS.edits, 'v')).toEqual([
      { value: '{"sum":12345678901234567890.25,"__proto__":1}', headers: {} },
      { value: 'text', headers: {} },
      { value: '\xff\0', headers: {} },
      { value: null, headers: {} },
      { value: '', headers: {} },
      { value: '1e2', headers: { 'flatline-wait-ms': '5', 'X-Id': '\xc3\xa9', 'idempotency-key': 'i' } },
    ]);
  });

  test.each([
    ['no JSON', '[', 400, /no JSON/],
    ['no array', '{}', 400, /a batch is a JSON array/],
    ['nested too deep', '['.repeat(60_000) + ']'.repeat(60_000), 400, /no JSON/],
    ['a key that is none', '[{"key":7}]', 400, /^records\[0\]\.key/],
    ['a key without bytes', '[{"key":"n"},{"key":""}]', 400, /^records\[1\]: a key has 1 to/],
    ['an unknown member', '[{"key":"n","vlaue":1}]', 400, /has vlaue/],
    ['null', '[{"key":"n","value":null}]', 400, /"delete": true/],
    ['two values', '[{"key":"n","value":1,"delete":true}]', 400, /both value and delete/],
    ['no base64', '[{"key":"n","valueBase64":"?"}]', 400, /no base64/],
    [
      'a dead letter',
      '[{"key":"n"},{"key":"n","headers":{"flatline-wait-ms":"0"}}]',
      400,
      /^records\[1\]: invalid-wait: .*none of the batch/,
    ],
    ['a value that is too long', `[{"key":"n","value":"${'x'.repeat(201)}"}]`, 413, /ingest\.maxEventBytes/],
    ['another header', '[{"key":"n","headers":{"flatline-x":"0"}}]', 400, /no header flatline-x/],
  ])('[I10][I4] with %s is refused, and nothing of it is written', async (_what, body, code, why) => {
    expect(await ask(`${await serve()}/edits`, { body })).toEqual([code, error(why)]);
    expect(await written(TOPICS.edits, 'n')).toEqual([]);
  });

  test('[I10] sent again under its idempotency key is written once', async () => {
    const url = `${await serve()}/edits`;
    const request = {
      body: batch({ key: 'b', value: 1 }, { key: 'b', value: 1 }),
      headers: { 'idempotency-key': 'all' },
    };
    await ask(url, request);
    expect(await ask(url, request)).toEqual([202, { accepted: true, count: 2 }]);
    expect(await written(TOPICS.edits, 'b')).toHaveLength(2);
  });

  test('[I10] needs a token', async () => {
    const answer = await fetch(`${await serve()}/edits`, { method: 'POST', body: '[]' });
    expect(answer.status).toBe(401);
  });
});
