import { describe, expect, test } from '@jest/globals';
import { entryAnswer } from './entry-answer.ts';
import { entryFields } from './entry-json.ts';

const BYTES = Buffer.from([0xff, 0x00]);
const asOf = { clock: 900, position: 7 };
const found = (entries: readonly Record<string, unknown>[], from: 'owner' | 'standby') =>
  ({ kind: 'found', entries, asOf, from, partition: 3, owner: { name: 'a', endpoint: '' }, standbys: [] }) as const;
const answerFor = (key: Uint8Array, answer: Parameters<typeof entryAnswer>[2]): string =>
  JSON.stringify(entryAnswer({ pipeline: 'visits', key, wallMs: 1_000 }, { kind: 'session' }, answer));

describe('an entry in JSON', () => {
  test('[I3] has names that programs choose as properties like any others', () => {
    const counts = new Map([
      ['VIEW', 2],
      ['__proto__', 1],
    ]);
    const fields = entryFields({ counts, nested: [{ attributes: new Map([['__proto__', 'x']]) }], none: new Map() });
    expect(JSON.stringify(fields)).toBe(
      '{"counts":{"VIEW":2,"__proto__":1},"nested":[{"attributes":{"__proto__":"x"}}],"none":{}}',
    );
    expect(Object.getPrototypeOf(fields['counts'])).toBe(Object.prototype);
  });

  test('[I3] shows bytes as text, or in base64 where they are none, and is a copy', () => {
    const value = Buffer.from('text');
    const entry = { value, other: BYTES, nothing: undefined, empty: null };
    const fields = entryFields(entry);
    value.fill(0);
    expect(fields).toEqual({
      value: { length: 4, text: 'text' },
      other: { length: 2, base64: '/wA=' },
      nothing: undefined,
      empty: null,
    });
    expect(entry.value).toBe(value);
  });
});

describe('an answer in JSON', () => {
  test('[Q1] has the fields of the first entry, then those of every answer, which count', () => {
    const entries = [{ incarnation: '3-1', state: 'X' }, { incarnation: '3-2' }];
    expect(answerFor(Buffer.from('k'), found(entries, 'standby'))).toBe(
      '{"incarnation":"3-1","state":"live","key":"k","pipeline":"visits","kind":"session","partition":3,"owner":"a",' +
        '"entries":[{"incarnation":"3-1","state":"X"},{"incarnation":"3-2"}],"asOf":{"clock":900,"position":7},' +
        '"from":"standby","lagMs":100}',
    );
  });

  test('[Q1] says none, and why nothing can be said', () => {
    expect(answerFor(BYTES, found([], 'owner'))).toBe(
      '{"key":"\ufffd\\u0000","keyBase64":"/wA=","pipeline":"visits","kind":"session","partition":3,"owner":"a",' +
        '"state":"none","asOf":{"clock":900,"position":7},"from":"owner"}',
    );
    const moving = { kind: 'moving', detail: 'why', partition: 3, owner: undefined, standbys: [] } as const;
    expect(answerFor(Buffer.from('k'), moving)).toBe(
      '{"key":"k","pipeline":"visits","kind":"session","partition":3,"state":"moving","detail":"why","retryAfterMs":1000}',
    );
  });
});
