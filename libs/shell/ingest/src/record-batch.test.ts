import { describe, expect, test } from '@jest/globals';
import { inputFor } from './input.fixture.ts';
import { batchIn } from './record-batch.ts';
import { idempotencyKeyIn, idempotencyKeyOf } from './sent-headers.ts';

const valuesIn = (body: string, most = 4_096): (string | undefined)[] =>
  batchIn(Buffer.from(body), most).map(({ value }) => (value === null ? undefined : Buffer.from(value).toString()));

describe('values of a batch', () => {
  test.each(['-0', '1E400', '12345678901234567890.25', '[1.0, 1e+2]', '{"a":1,"a":2}', '{"__proto__":1}', 'true'])(
    '[I10] %s is in the log as it was sent',
    (value) => {
      expect(valuesIn(`[{"key":"a","value": ${value} },\n{"value":${value}\n,"key":"b"}]`)).toEqual([value, value]);
    },
  );

  test('[I10] are found among texts and members that look like them', () => {
    const text = String.raw`"],}{\\\"value\":7"`;
    const body = `[{"key":"a","headers":{"value":${text}},"value":{"value":[${text},1]}},{"key":"b"},
      {"\\u0076alue":3,"key":${text}},{"key":"value","value":"text"},{"key":"d","value":4,"value":5},{"key":"e","value":6,"value":"six"}]`;
    expect(valuesIn(body)).toEqual([`{"value":[${text},1]}`, '', '3', 'text', '5', 'six']);
  });

  test('[I10][I4] beyond maxEventBytes are refused by their bytes, before anything is made of them', () => {
    const wide = `[${'1,'.repeat(1_000)}1]`;
    const refused = /^records\[1\]: the value has 2003 bytes, and at most 2002 are taken \(ingest\.maxEventBytes\)/;
    expect(() => valuesIn(`[{"key":"a"},{"key":"b","value":${wide}}, no JSON`, 2_002)).toThrow(refused);
    expect(valuesIn(`[{"key":"b","value":${wide}}]`, 2_003)).toEqual([wide]);
    expect(() => valuesIn('[{"key":"b","value":"ééé"}]', 5)).toThrow(/the value has 6 bytes/);
  });

  test('[I10][I4] that nest too deep are refused, and others of a thousand levels are not', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    expect(valuesIn(`[{"key":"a","value":${nested(998)}}]`)).toEqual([nested(998)]);
    expect(() => valuesIn(`[{"key":"a","value":${nested(999)}}]`)).toThrow(
      /no JSON that is taken: it nests beyond 1000/,
    );
    expect(() => valuesIn('['.repeat(2_000_000))).toThrow(/it nests beyond 1000/);
  });
});

describe('idempotency keys', () => {
  test.each([`${'k'.repeat(253)}/999`, `${'k'.repeat(256)}/0`, '\ud800', ''])('[I10][I4] %j is refused', (key) => {
    expect(() => idempotencyKeyOf(key)).toThrow(/1 to 256 whole characters/);
  });

  test('[I10] of a header are UTF-8, or characters of one byte', () => {
    expect(idempotencyKeyIn(Buffer.from('Zoë 🐈').toString('latin1'))).toBe('Zoë 🐈');
    expect(idempotencyKeyIn('Zo\xeb')).toBe('Zoë');
    expect(idempotencyKeyIn(undefined)).toBeUndefined();
  });

  test.each(['k'.repeat(256), 'k'.repeat(257), '\ud800'])(
    '[I10] an event with %j as its id is read, or refused',
    (key) => {
      const input = inputFor({ kind: 'session', timeoutMs: 1_000 }, 't') as Exclude<
        ReturnType<typeof inputFor>,
        string
      >;
      const event = { value: Buffer.from('{"type":"VIEW"}'), headers: [], idempotencyKey: key };
      const found = input.recordOf(event, 0);
      if (key.length === 256) {
        // By itself it is an event, too.
        const { value } = found as Exclude<typeof found, string>;
        expect(input.recordOf({ value, headers: [], idempotencyKey: undefined }, 0)).toEqual({ value, headers: [] });
      } else expect(typeof found).toBe('string');
    },
  );
});
