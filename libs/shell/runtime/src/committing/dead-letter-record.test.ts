import { describe, expect, test } from '@jest/globals';
import type { DeadLetter } from '@flatline/partition';
import { readDeadLetter } from '@flatline/ports';
import { deadLetterRecord } from './dead-letter-record.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const letter: DeadLetter = {
  reason: 'null-key',
  detail: 'a session event needs a key — é',
  input: 0,
  offset: 2 ** 40,
  timestamp: -1,
  key: null,
  value: bytes('{'),
  headers: [],
};

describe('[I1] a dead letter', () => {
  test('[I1] keeps its own headers, also those that look like ours, and is read back', () => {
    const headers = [
      { name: 'trace', value: null },
      { name: 'flatline-reason', value: bytes('a lie') },
      { name: 'flatline-offset', value: bytes('7') },
    ];
    const record = deadLetterRecord({ ...letter, headers }, 3, 'in');
    expect(record).toMatchObject({ key: null, value: letter.value });
    const { reason, detail, offset, timestamp } = letter;
    expect(readDeadLetter(record.headers ?? [])).toEqual({
      origin: { reason, detail, offset, timestamp, topic: 'in', partition: 3 },
      headers,
    });
  });

  test.each([
    [{ truncated: { valueBytes: 5_242_880 } }, ['value=5242880']],
    [{ truncated: { keyBytes: 70_000, valueBytes: 2, headers: 3 } }, ['key=70000 value=2 headers=3']],
    [{ batch: { lastOffset: 2 ** 40 + 2, records: 3 } }, [String(2 ** 40 + 2), '3']],
  ])('[I1] says at its end what it does not hold: %j', (extra, values) => {
    const headers = [{ name: 'flatline-truncated', value: bytes('key=1') }];
    const record = deadLetterRecord({ ...letter, ...extra, headers }, 3, 'in');
    const added = record.headers!.slice(7);
    expect(added.map(({ value }) => new TextDecoder().decode(value))).toEqual(values);
    const { reason, detail, offset, timestamp } = letter;
    expect(readDeadLetter(record.headers ?? [])).toEqual({
      origin: { reason, detail, offset, timestamp, topic: 'in', partition: 3, ...extra },
      headers,
    });
  });

  test.each([
    ['no headers', []],
    ['headers of a stranger', Array.from({ length: 6 }, () => ({ name: 'flatline-reason', value: null }))],
    ['an offset that is none', deadLetterRecord({ ...letter, offset: NaN }, 3, 'in').headers ?? []],
  ])('%s: not one of ours', (_, headers) => {
    expect(readDeadLetter(headers)).toBeUndefined();
  });
});
