import { describe, expect, test } from '@jest/globals';
import type { Letter } from '@flatline/processor/letters';
import { absentText, letterValue } from './letter-text.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const letter = (key: Uint8Array | null, value: Uint8Array | null): Letter => ({
  kind: 'letter',
  partition: 3,
  offset: 1207,
  writtenAt: 5,
  origin: { reason: 'invalid-json', detail: 'no JSON', topic: 'in', partition: 1, offset: 7, timestamp: 4 },
  key,
  value,
  headers: [],
});

test('what a dead letter does not hold is counted, one in the singular', () => {
  const { origin, ...rest } = letter(null, null);
  const without = (missing: Partial<Letter['origin']>): string[] =>
    absentText({ ...rest, origin: { ...origin, ...missing } });
  expect(without({ truncated: { valueBytes: 1_500_000, headers: 1 } })).toEqual([
    'too long for the dead-letter topic: of in/1/7 its value of 1,500,000 bytes, its 1 header',
  ]);
  expect(without({ batch: { lastOffset: 7, records: 1 } })).toEqual([
    '1 record, in/1/7 to 7, in a batch that cannot be unpacked',
  ]);
});

describe('a dead letter as JSON', () => {
  test('holds text as text and other bytes as base64, each once', () => {
    expect(letterValue(letter(bytes('anna'), new Uint8Array([1, 2, 254])), 0, 'visits')).toEqual({
      kind: 'letter',
      pipeline: 'visits',
      partition: 3,
      offset: 1207,
      writtenAt: 5,
      reason: 'invalid-json',
      detail: 'no JSON',
      origin: { topic: 'in', partition: 1, offset: 7, timestamp: 4 },
      key: { length: 4, text: 'anna' },
      value: { length: 3, base64: 'AQL+' },
      headers: [],
      replays: 0,
    });
  });

  test('tells null from nothing', () => {
    expect(letterValue(letter(null, bytes('')), 0, 'visits')).toMatchObject({
      key: null,
      value: { length: 0, text: '' },
    });
  });
});
