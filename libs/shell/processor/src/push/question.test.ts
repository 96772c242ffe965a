import { expect, test } from '@jest/globals';
import type { PipelineConfig } from '@flatline/config';
import { askedIn } from './question.ts';

function pipeline(format = 'json', partitioner = 'murmur2'): PipelineConfig {
  return { name: 'visits', input: { topic: 'in', partitioner }, output: { topic: 'out', format } } as PipelineConfig;
}

test.each([
  ['?key=a%2Fb', { key: Buffer.from('a/b') }],
  ['?key=%FF%00', { key: Buffer.from([255, 0]) }],
  ['?key=', { key: Buffer.alloc(0) }],
  ['?prefix=eu/', { prefix: Buffer.from('eu/') }],
  ['?prefix=', { prefix: Buffer.alloc(0) }],
  ['?cursor=x', { prefix: new Uint8Array(0) }],
])('[Q3] %s subscribes to a key of any bytes, also of none, to a prefix, or to all', (query, asked) => {
  expect(askedIn(`/api/v1/events/visits${query}`, pipeline())).toEqual(asked);
});

test.each([
  ['?key=a&prefix=b', pipeline(), 'key or prefix, not both'],
  ['', pipeline('avro'), 'events are JSON'],
  ['?key=a', pipeline('json', 'any'), 'Subscribe to prefix='],
])('[Q3][I4] %s is no subscription of every pipeline, and why is said: %#', (query, config, why) => {
  expect(askedIn(`/api/v1/events/visits${query}`, config)).toContain(why);
});
