// Look-ups over HTTP: what is refused, and how keys and groups are told apart. Answers are tried end to end.
import { expect, test } from '@jest/globals';
import { type Ask, instances, pipeline, serve } from '../http/http.fixture.ts';
import type { Asking, HereAnswers } from './here.ts';
import { FORWARDED_HEADER } from './other-instances.ts';

const GROUP = 'shop.visits';

/** A process that has no entry, and notes what it is asked. */
async function served(): Promise<{ readonly ask: Ask; readonly asked: Asking[] }> {
  const asked: Asking[] = [];
  const lookUp = (asking: Asking): Promise<HereAnswers | undefined> => {
    asked.push(asking);
    if (asking.pipeline !== 'visits') return Promise.resolve(undefined);
    const none = { kind: 'found', entries: [], asOf: { clock: 5, position: 7 }, from: 'owner' } as const;
    const answers = asking.keys.map(() => ({ ...none, partition: 0, owner: undefined, standbys: [] }));
    return Promise.resolve({ kind: 'session', group: GROUP, instance: 'a', answers });
  };
  return { ask: await serve([pipeline({})], { lookUp }), asked };
}

const post = (body: unknown, headers: Readonly<Record<string, string>> = {}): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

test.each(['a', 'ü/%', 'k'.repeat(2_000)])(
  '[Q1] a key in a path is what its escapes say, however long: %#',
  async (key) => {
    const { ask, asked } = await served();
    const answer = await ask(`/api/v1/entries/visits/${encodeURIComponent(key)}?proof=now`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ key, state: 'none', asOf: { clock: 5, position: 7 } });
    expect(asked).toMatchObject([{ isNow: true }]);
  },
);

test('[Q1] a key may be any bytes', async () => {
  const { ask, asked } = await served();
  expect(await (await ask('/api/v1/entries/visits/%FF%00')).json()).toMatchObject({ keyBase64: '/wA=' });
  await ask('/api/v1/entries/visits:lookup', post({ keys: [{ base64: '/wA=' }] }));
  expect(asked.map(({ keys }) => [...keys[0]!])).toEqual([
    [255, 0],
    [255, 0],
  ]);
});

test('[Q1] a key may have no bytes at all', async () => {
  const { ask, asked } = await served();
  expect(await (await ask('/api/v1/entries/visits/')).json()).toMatchObject({ key: '', state: 'none' });
  expect(asked[0]!.keys.map(({ length }) => length)).toEqual([0]);
});

test('[Q1] parameters of a list that have no value are left out', async () => {
  const ask = await serve([pipeline({ instances })]);
  const list = await ask('/api/v1/entries/visits?prefix=&attribute=&limit=&after=');
  expect(list.status).toBe(200);
  expect(await list.json()).toMatchObject({ pipeline: 'visits', entries: [] });
  expect((await ask('/api/v1/entries/visits?attribute=gateway')).status).toBe(400);
});

test('[Q1] what is proved of another application is not passed on: a question of another group is refused', async () => {
  const { ask } = await served();
  const ours = await ask('/api/v1/entries/visits:lookup', post({ keys: ['a'] }, { [FORWARDED_HEADER]: GROUP }));
  expect(ours.status).toBe(200);
  const others = await ask('/api/v1/entries/visits:lookup', post({ keys: ['a'] }, { [FORWARDED_HEADER]: 'b.visits' }));
  expect(others.status).toBe(400);
  expect(await others.json()).toEqual({ error: 'this is an instance of the group shop.visits, not of b.visits' });
});

test.each([
  [{}, 'the body is JSON with the keys to look up'],
  [{ keys: [] }, 'keys has 0 of them: 1 to 100'],
  [{ keys: Array.from({ length: 101 }, () => 'a') }, 'keys has 101 of them: 1 to 100'],
  [{ keys: ['a', 1] }, 'keys[1] is neither a text nor base64'],
  [{ keys: ['a'], proof: 'later' }, 'proof is "now", or left out'],
  [{ keys: ['a'], prof: 'now' }, 'there is no field prof here: there are keys, proof'],
])('[I4] what is no question is refused, and says why: %#', async (body, why) => {
  const { ask } = await served();
  const answer = await ask('/api/v1/entries/visits:lookup', post(body));
  expect(answer.status).toBe(400);
  expect(((await answer.json()) as { readonly error: string }).error).toContain(why);
});

test.each([
  ['/api/v1/entries/visits/a?prof=now', 'there is no parameter prof here: there are proof; did you mean proof?'],
  [
    '/api/v1/entries/visits?attributes=plan=pro',
    'there is no parameter attributes here: there are prefix, attribute, limit, after; did you mean attribute?',
  ],
  ['/api/v1/events/visits?attribute=plan=pro', 'there is no parameter attribute here: there are key, prefix, cursor'],
  ['/api/v1/owners/visits?x', 'there is no parameter x here: there are none'],
])('[I4] a parameter that is none is refused, and no other question answered: %s', async (path, error) => {
  const { ask, asked } = await served();
  const answer = await ask(path);
  expect([answer.status, await answer.json()]).toEqual([400, { error }]);
  expect(asked).toEqual([]);
});

test.each([
  [undefined, '{"keys":["a"]}', 415, 'the body is JSON: send it with the header content-type: application/json'],
  ['application/json', 'nojson', 400, 'the body is no JSON'],
])('[I4] a body that is no JSON is refused in our words: %s', async (type, body, status, error) => {
  const { ask } = await served();
  const headers = { 'content-type': type ?? 'application/x-www-form-urlencoded' };
  const answer = await ask('/api/v1/entries/visits:lookup', { method: 'POST', headers, body });
  expect([answer.status, await answer.json()]).toEqual([status, { error }]);
});

test('[Q1] a pipeline that is not there is no none', async () => {
  const { ask } = await served();
  const answer = await ask('/api/v1/entries/clicks/a');
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({ pipelines: ['visits'] });
});
