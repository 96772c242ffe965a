import { describe, expect, test } from '@jest/globals';
import type { OutputRecord, RoutedOutput } from '../../logs/history.ts';
import type { SaidOutput } from '../reading.ts';
import { routesOf } from './naive-routes.ts';

const utf8 = new TextEncoder();

function outputOf(value = '{}'): OutputRecord {
  const place = { offset: 0, timestamp: 0, logAppendTime: true };
  return { ...place, key: utf8.encode('anna'), value: utf8.encode(value), summary: {}, incarnation: undefined };
}

const WORDS = { saidIn: (): SaidOutput => ({ names: [], fields: {} }) };
const by = (record: (output: RoutedOutput) => unknown) => routesOf(WORDS, [{ to: 't', record }], outputOf());

describe('[P3] the second reading of routes', () => {
  test.each<[string, () => unknown]>([
    ['is asynchronous', () => Promise.reject(new Error('later'))],
    ['asks for what is asynchronous', () => [Promise.reject(new Error('later')), {}]],
  ])('[P3] has a function that %s make nothing, and end nothing later', (_, record) => {
    expect(by(record)).toEqual(['unroutable']);
  });

  test.each<[string, () => unknown]>([
    ['a value that is no JSON', () => ({ value: { n: 1n } })],
    ['no headers', () => ({ headers: null })],
    ['a header that has no text', () => ({ headers: { a: Object.create(null) as unknown } })],
    ['one of several that has none', () => [{}, { headers: null }]],
  ])('[P3] has a function that returns %s make nothing', (_, record) => {
    expect(by(record)).toEqual(['unroutable']);
  });

  test('[P3] measures headers as they are written', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `${'é'.repeat(500)}${i}`);
    expect(by(() => ({ headers: Object.fromEntries(names.map((name) => [name, ''])) }))).toEqual(['unroutable']);
    expect(by(() => ({ headers: { é: '' } }))).toMatchObject([{ to: 't' }]);
  });
});
