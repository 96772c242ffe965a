// Acts over HTTP: what is asked of the processor, and what is refused. That they are done is tried end to end.
import { expect, test } from '@jest/globals';
import { type Ask, pipeline, serve } from '../http/http.fixture.ts';
import type { ActOutcome, AskedAct } from './act.ts';

const PLACE = { topic: 'visit-events', records: [{ partition: 3, offset: 17 }] };

/** A processor that notes what it is asked. */
async function served(outcome: ActOutcome = { kind: 'sent', ...PLACE }): Promise<{ ask: Ask; asked: AskedAct[] }> {
  const asked: AskedAct[] = [];
  const act = (each: AskedAct): Promise<ActOutcome | undefined> => {
    asked.push(each);
    return Promise.resolve(each.pipeline === 'visits' ? outcome : undefined);
  };
  return { ask: await serve([pipeline({})], { act }), asked };
}

const post = (body?: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  ...(body !== undefined && { body: JSON.stringify(body) }),
  headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
});

test.each([
  ['anna:end', 'end', 'anna'],
  ['a%3Ab:release', 'release', 'a:b'],
  ['a:b:cancel', 'cancel', 'a:b'],
  [':flush', 'flush', ''],
  ['%FF%00:pause', 'pause', '\xff\0'],
  ['ü/%25:trigger', 'trigger', 'ü/%'],
])('[Q4] %s acts on that key, and says where the record lies', async (path, act, key) => {
  const { ask, asked } = await served();
  const answer = await ask(`/api/v1/entries/visits/${path}`, post());
  expect(answer.status).toBe(202);
  expect(await answer.json()).toMatchObject({
    pipeline: 'visits',
    act,
    topic: 'visit-events',
    partition: 3,
    offset: 17,
  });
  expect(asked).toMatchObject([{ pipeline: 'visits', act, from: '127.0.0.1', who: 'loopback' }]);
  const bytes = key.startsWith('\xff') ? Buffer.from(key, 'latin1') : Buffer.from(key);
  expect(Buffer.from(asked[0]!.key!)).toEqual(bytes);
});

test('[Q4] an act without a body may say that it would be JSON', async () => {
  const { ask, asked } = await served();
  const json = { 'content-type': 'application/json' };
  expect((await ask('/api/v1/entries/visits/anna:end', post(undefined, json))).status).toBe(202);
  expect((await ask('/api/v1/entries/visits:evict', post(undefined, json))).status).toBe(400);
  expect((await ask('/api/v1/entries/visits/anna:end', { ...post(undefined, json), body: '{' })).status).toBe(400);
  expect(asked).toMatchObject([{ act: 'end', scheduleId: undefined }]);
});

test('[Q4] one schedule of a key is named in the body', async () => {
  const { ask, asked } = await served();
  expect((await ask('/api/v1/entries/visits/k:pause', post({ id: 'a' }))).status).toBe(202);
  expect((await ask('/api/v1/entries/visits/k:pause', post({ name: 'a' }))).status).toBe(400);
  expect(asked).toMatchObject([{ scheduleId: 'a' }]);
});

test('[Q4] an eviction names no key, and is answered with a place in each partition', async () => {
  const { ask, asked } = await served();
  const body = { attribute: 'gateway', equals: 'g7' };
  const answer = await ask('/api/v1/entries/visits:evict', post(body));
  expect(answer.status).toBe(202);
  expect(await answer.json()).toEqual({ pipeline: 'visits', act: 'evict', ...body, ...PLACE });
  expect(asked).toMatchObject([{ act: 'evict', key: undefined, evicts: body }]);
});

test.each([
  [undefined],
  [{}],
  [{ attribute: 'gateway' }],
  [{ attribute: '', equals: 'g7' }],
  [{ attribute: 'gateway', equals: 7 }],
  [{ attribute: 'gateway', equals: 'g7', key: 'anna' }],
  [{ attribute: 'gateway', equals: 'é'.repeat(257) }],
])('[Q4] an eviction of another form is not sent: %j', async (body) => {
  const { ask, asked } = await served();
  expect((await ask('/api/v1/entries/visits:evict', post(body))).status).toBe(400);
  expect(asked).toEqual([]);
});

test('[Q4] what cannot be done says why; what may be in the log or not says so', async () => {
  const refused = await served({ kind: 'refused', why: 'end is no act on schedules' });
  const answer = await refused.ask('/api/v1/entries/visits/k:end', post());
  expect([answer.status, await answer.json()]).toEqual([400, { error: 'end is no act on schedules' }]);
  const unsure = await served({ kind: 'unsure', why: 'the brokers do not answer' });
  const later = await unsure.ask('/api/v1/entries/visits/k:end', post());
  // Asked again by a client that heeds the header, it might end what has begun since.
  expect([later.status, later.headers.get('retry-after')]).toEqual([503, null]);
  const busy = await served({ kind: 'busy', why: 'nothing was sent' });
  const again = await busy.ask('/api/v1/entries/visits/k:end', post());
  expect([again.status, again.headers.get('retry-after')]).toEqual([503, '1']);
  const unknown = await (await served()).ask('/api/v1/entries/clicks/k:end', post());
  expect([unknown.status, await unknown.json()]).toMatchObject([400, { pipelines: ['visits'] }]);
});

test('[Q4] no page of a browser acts; a GET of such a path looks a key up', async () => {
  const { ask, asked } = await served();
  const page = { origin: 'http://evil.example' };
  expect((await ask('/api/v1/entries/visits/k:end', post(undefined, page))).status).toBe(403);
  expect((await ask('/api/v1/entries/visits:evict', post({ attribute: 'a', equals: 'b' }, page))).status).toBe(403);
  await ask('/api/v1/entries/visits/k:end');
  expect(asked).toEqual([]);
});
