// Why values are neither read nor written by avsc (ADR 9). Where one of these fails, avsc was mended: weigh it again.
import { describe, expect, test } from '@jest/globals';
import avsc from 'avsc';

const long = avsc.Type.forSchema('long');
const texts = avsc.Type.forSchema({ type: 'map', values: 'string' });

describe('avsc 5.7.9', () => {
  test('believes a block count: four bytes become a million items', () => {
    const items = 1_000_000;
    const bytes = Buffer.concat([long.toBuffer(items), Buffer.of(0)]);
    expect(bytes.length).toBe(4);
    expect(avsc.Type.forSchema({ type: 'array', items: 'null' }).fromBuffer(bytes)).toHaveLength(items);
  });

  test('loses a map key on reading', () => {
    const written = texts.toBuffer(JSON.parse('{"__proto__":"x","a":"b"}'));
    expect(written.includes('__proto__')).toBe(true);
    expect(Object.keys(texts.fromBuffer(written) as object)).toEqual(['a']);
  });

  test('refuses to write the largest safe integer, which a sequence may be', () => {
    expect(() => long.toBuffer(Number.MAX_SAFE_INTEGER)).toThrow('invalid "long": 9007199254740991');
    expect(() => long.toBuffer(Number.MIN_SAFE_INTEGER)).toThrow('invalid "long": -9007199254740991');
  });

  test('writes half of a surrogate pair as bytes that are no UTF-8', () => {
    const bytes = avsc.Type.forSchema('string').toBuffer('\ud800').subarray(1);
    expect(() => new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toThrow();
  });
});
