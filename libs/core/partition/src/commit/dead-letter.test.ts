import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { deadLetter, letterBytes } from './dead-letter.ts';
import type { RecordCursor, RecordHeader } from '@flatline/ports';

const utf8 = new TextEncoder();

interface Refused {
  readonly key: Uint8Array | null;
  readonly value: Uint8Array | null;
  readonly headers: readonly RecordHeader[];
}

function cursorOn({ key, value, headers }: Refused): RecordCursor {
  const none = new Int32Array(0);
  return {
    group: {
      count: 0,
      starts: none,
      lengths: none,
      valueStarts: none,
      valueLengths: none,
      headersStarts: none,
      headersEnds: none,
      offsetDeltas: none,
    },
    groupIndex: 0,
    skip: () => undefined,
    next: () => false,
    offset: 7,
    timestamp: 1_000,
    logAppendTime: true,
    position: 8,
    bytes: Uint8Array.from([0xaa, ...(key ?? []), ...(value ?? []), 0xbb]),
    keyStart: 1,
    keyLength: key?.length ?? -1,
    valueStart: 1 + (key?.length ?? 0),
    valueLength: value?.length ?? -1,
    hasHeaders: headers.length > 0,
    headers: () => headers,
    headersOf: () => headers,
    batchChecksum: 1,
    batchLeaderEpoch: 1,
    batchTimestamp: 1_000,
  };
}

const part = (maxLength: number): fc.Arbitrary<Uint8Array | null> =>
  fc.option(
    fc.nat(maxLength).map((length) => new Uint8Array(length).map((_, at) => at * 7 + length)),
    { nil: null },
  );
const refused: fc.Arbitrary<Refused> = fc.record({
  key: part(400),
  value: part(2_000),
  headers: fc.array(fc.record({ name: fc.string({ unit: 'grapheme', maxLength: 40 }), value: part(300) }), {
    maxLength: 10,
  }),
});
/** Bytes of a record batch with one record, without any header but its own (KIP-98). */
const LEAST_BYTES = 61 + 21;

/** At most: lengths take up to five bytes. */
function recordBytes({ key, value, headers }: Refused): number {
  const own = headers.reduce((sum, each) => sum + utf8.encode(each.name).length + (each.value?.length ?? 0), 0);
  return LEAST_BYTES + (key?.length ?? 0) + (value?.length ?? 0) + own;
}

describe('[I1] a dead letter', () => {
  test('[I1] is its record, or a beginning that fits and says how long it was (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(refused, fc.integer({ min: 900, max: 4_000 }), (record, bytesMax) => {
        const letter = deadLetter(cursorOn(record), 'invalid-json', 'why', { bytesMax });
        expect(letterBytes(letter)).toBeLessThanOrEqual(bytesMax);
        expect(recordBytes(letter)).toBeLessThanOrEqual(letterBytes(letter));
        const { keyBytes = record.key?.length, valueBytes = record.value?.length, headers } = letter.truncated ?? {};
        for (const name of ['key', 'value'] as const)
          expect(String(letter[name])).toBe(String(record[name]?.slice(0, letter[name]?.length) ?? null));
        expect([keyBytes, valueBytes]).toEqual([record.key?.length, record.value?.length]);
        expect(letter.headers).toEqual(headers === undefined ? record.headers : []);
        if (headers !== undefined) expect(headers).toBe(record.headers.length);
        // Nothing is cut off that would have fitted, but for what lengths may take.
        if (letter.truncated !== undefined) expect(recordBytes(record) + 1_000).toBeGreaterThan(bytesMax);
      }),
    );
  });

  test('[I1] has the bytes of half surrogate pairs counted as they are written', () => {
    const headers = Array.from({ length: 10 }, () => ({ name: '\ud800'.repeat(100), value: null }));
    const letter = deadLetter(cursorOn({ key: null, value: null, headers }), 'invalid-json', '\udc00a'.repeat(500), {
      bytesMax: 10_000,
    });
    expect(letter.headers).toHaveLength(10);
    const written = recordBytes(letter) + utf8.encode(letter.detail).length;
    expect(letterBytes(letter)).toBeGreaterThanOrEqual(written);
  });

  test('[I1] loses of its value first, then its headers, and of its key last', () => {
    const record = {
      key: new Uint8Array(3_000),
      value: new Uint8Array(50_000),
      headers: [{ name: 'trace', value: new Uint8Array(4_000) }],
    };
    const truncated = (bytesMax: number): unknown =>
      deadLetter(cursorOn(record), 'invalid-json', '', { bytesMax }).truncated;
    expect(truncated(100_000)).toBeUndefined();
    expect(truncated(20_000)).toEqual({ valueBytes: 50_000 });
    expect(truncated(6_000)).toEqual({ valueBytes: 50_000, headers: 1 });
    expect(truncated(2_000)).toEqual({ valueBytes: 50_000, headers: 1, keyBytes: 3_000 });
  });

  test('[I1] what it says of the reason is bounded, too', () => {
    const letter = deadLetter(cursorOn({ key: null, value: null, headers: [] }), 'invalid-json', 'x'.repeat(9_999), {
      bytesMax: 5_000,
    });
    expect(letter).toMatchObject({ detail: 'x'.repeat(1_000), key: null, value: null });
    expect(letter.truncated).toBeUndefined();
  });
});
