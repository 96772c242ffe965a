// Dead letters over HTTP, without a broker; with one: apps/lab/e2e/src/dashboard.long.test.ts.
import { afterEach, expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import type { PipelineConfig } from '@flatline/config';
import Fastify from 'fastify';
import type { Letter, LetterPlace } from './letter.ts';
import { addLettersApi } from './letters-api.ts';
import { listedLetter } from './listed-letter.ts';
import { NoSuchPartition } from './selection.ts';

const LETTER: Letter = {
  kind: 'letter',
  partition: 3,
  offset: 7,
  writtenAt: 1_700_000_000_000,
  key: Uint8Array.of(0xff, 0x61),
  value: Buffer.from('a secret'),
  headers: [],
  origin: { reason: 'malformed', detail: 'not JSON', topic: 'in', partition: 3, offset: 90, timestamp: 5 },
};

const server = Fastify();
let asked: readonly LetterPlace[] = [];
let failure: Error | undefined;
addLettersApi(server, {
  pipeline: (name) => (name === 'visits' ? ({ name } as PipelineConfig) : undefined),
  newest: (_pipeline, limit) =>
    failure === undefined ? Promise.resolve([{ ...listedLetter(LETTER), replays: limit }]) : Promise.reject(failure),
  replay: (_pipeline, places) => {
    asked = places;
    if (failure !== undefined) return Promise.reject(failure);
    const left = [{ partition: 3, offset: 8, why: 'there is no letter' }];
    return Promise.resolve({ replayed: [{ partition: 3, offset: 7, topic: 'in', inputOffset: 120 }], left });
  },
});
afterEach(() => {
  failure = undefined;
});

const REPLAY = '/api/v1/dead-letters/visits/replay';

test('[I1][E1] are listed with what refused them, and no value', async () => {
  const { body, statusCode } = await server.inject('/api/v1/dead-letters/visits?limit=9');
  expect([statusCode, body.includes('secret')]).toEqual([200, false]);
  expect(JSON.parse(body)).toEqual({
    pipeline: 'visits',
    letters: [
      {
        place: '3/7',
        writtenAt: 1_700_000_000_000,
        reason: 'malformed',
        detail: 'not JSON',
        key: '\ufffda',
        keyBase64: '/2E=',
        valueBytes: 8,
        origin: { topic: 'in', partition: 3, offset: 90 },
        replays: 9,
        isWhole: true,
      },
    ],
  });
});

test('[I1] go back by their places, with a word for each that does not', async () => {
  const answer = await server.inject({ method: 'POST', url: REPLAY, payload: { places: ['3/7', '3/8'] } });
  expect(answer.statusCode).toBe(202);
  expect(asked).toEqual([
    { partition: 3, offset: 7 },
    { partition: 3, offset: 8 },
  ]);
  expect(answer.json()).toEqual({
    pipeline: 'visits',
    replayed: [{ place: '3/7', topic: 'in', partition: 3, offset: 120 }],
    left: [{ place: '3/8', why: 'there is no letter' }],
  });
});

test.each([
  ['/api/v1/dead-letters/nowhere', 404, 'no pipeline nowhere'],
  ['/api/v1/dead-letters/visits?limit=0', 400, 'limit is "0": 1 to 1000 are listed at once'],
  ['/api/v1/dead-letters/visits?limit=1e9', 400, 'limit is "1e9"'],
])('%s answers %i', async (url, status, error) => {
  const answer = await server.inject(url);
  expect([answer.statusCode, answer.json()]).toEqual([status, { error: expect.stringContaining(error) }]);
});

test.each([
  [{}],
  [{ places: [] }],
  [{ places: ['3'] }],
  [{ places: ['3/7', 4] }],
  [{ places: Array(501).fill('3/7') }],
])('a replay of %j is refused, and names what is asked for', async (payload) => {
  const answer = await server.inject({ method: 'POST', url: REPLAY, payload });
  expect([answer.statusCode, answer.json()]).toEqual([400, { error: expect.stringContaining('PARTITION/OFFSET') }]);
});

test('[I1] a place in no partition of the topic is refused, and named', async () => {
  failure = new NoSuchPartition('dead has no partition 9: they are 0 to 7');
  const answer = await server.inject({ method: 'POST', url: REPLAY, payload: { places: ['9/7'] } });
  expect([answer.statusCode, answer.json()]).toEqual([400, { error: 'dead has no partition 9: they are 0 to 7' }]);
});

test('brokers that do not answer are told of, and when to ask again', async () => {
  failure = new Retriable('the brokers do not answer in time');
  const answer = await server.inject('/api/v1/dead-letters/visits');
  expect([answer.statusCode, answer.headers['retry-after'], answer.json()]).toEqual([
    503,
    '1',
    { error: 'the brokers do not answer in time' },
  ]);
});
