import { describe, expect, test } from '@jest/globals';
import { MalformedBytes } from '@flatline/base';
import { nameBytes } from '@flatline/ports';
import { readHeaders } from './record-headers.ts';

describe('record headers', () => {
  test('[I1] as many as a record has room for, as a producer may send them', () => {
    const count = 20_000;
    // Zigzag varint of the count, then headers of an empty name and no value: two bytes each.
    const bytes = Buffer.from([0xc0, 0xb8, 0x02, ...Array.from({ length: count }, () => [0, 1]).flat()]);
    const headers = readHeaders(bytes, 0, bytes.length);
    expect(headers).toHaveLength(count);
    expect(headers.at(-1)).toEqual({ name: '', value: null });
  });

  test('[I1] names are what their bytes say, of which others were seen before', () => {
    const names = ['trace-a', 'shape-a', 'trace-a', '', 'é', 'trace-ä', 'x'.repeat(300), 'trace-a'];
    const sections = names.map((name) => [
      2 * Buffer.byteLength(name) > 127 ? [0xd8, 0x04] : [2 * Buffer.byteLength(name)],
      [...Buffer.from(name)],
      [1],
    ]);
    const bytes = Buffer.from([2 * names.length, ...sections.flat(2)]);
    expect(readHeaders(bytes, 0, bytes.length)).toEqual(names.map((name) => ({ name, value: null })));
  });

  test('[X6] short names are kept as bytes, long ones are not', () => {
    expect(nameBytes('flatline-due-at')).toBe(nameBytes('flatline-due-at'));
    const long = 'x'.repeat(257);
    expect(nameBytes(long)).toEqual(nameBytes(long));
    expect(nameBytes(long)).not.toBe(nameBytes(long));
  });

  test('[X6] a count that the record has no room for is refused before anything is made of it', () => {
    const bytes = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 0, 1]);
    expect(() => readHeaders(bytes, 0, bytes.length)).toThrow(new MalformedBytes('a record claims 2147483647 headers'));
  });
});
