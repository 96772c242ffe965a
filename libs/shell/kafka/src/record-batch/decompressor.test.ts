import { describe, expect, test } from '@jest/globals';
import { MalformedBytes } from '@flatline/base';
import fc from 'fast-check';
import { type BuiltCompression, pack } from './batch-builder.fixture.ts';
import { unpack, UnpacksTooLarge } from './decompressor.ts';

const codecs: readonly (readonly [BuiltCompression, number])[] = [
  ['gzip', 1],
  ['snappy', 2],
  ['xerial', 2],
  ['lz4', 3],
  ['zstd', 4],
];

/** Written by the Java client's codecs (KafkaLZ4BlockOutputStream, SnappyOutputStream; 4.1.1) from 100 times "flatline ". */
const written = 'flatline '.repeat(100);
const javaFrames = {
  1: '1f8b08000000000000ff4bcb492cc9c9cc4b55481b658c32461903c100001fbcbd4a84030000',
  2: `82534e4150505900000000010000000100000036840720666c61746c696e6520${'fe0900'.repeat(13)}ea0900`,
  3: '04224d18604082160000009f666c61746c696e65200900ffffff66506c696e652000000000',
  4: '28b52ffd005884000048666c61746c696e6520010078599523010000',
};

describe.each(codecs)('unpack %s', (name, code) => {
  test('gives back what was packed (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5_000, size: 'max' }), (bytes) => {
        expect(unpack(code, pack(name, Buffer.from(bytes))).equals(bytes)).toBe(true);
      }),
    );
  });

  test('[X6] refuses what would grow beyond the limit, before or while it does', () => {
    const packed = pack(name, Buffer.alloc(300_000));
    expect(packed.length).toBeLessThan(50_000);
    expect(() => unpack(code, packed, 100_000)).toThrow(MalformedBytes);
    expect(() => unpack(code, packed, 299_999)).toThrow(UnpacksTooLarge);
    expect(unpack(code, packed, 300_000).length).toBe(300_000);
  });

  test('calls damage malformed, whatever it is (rerun: the printed seed)', () => {
    const packed = pack(name, Buffer.from('a run of bytes that packs: abcabcabcabcabcabcabc'.repeat(40)));
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(packed.length - 1), fc.nat(255)), { minLength: 1 }), (edits) => {
        const damaged = Buffer.from(packed);
        for (const [at, value] of edits) damaged[at] = value;
        try {
          unpack(code, damaged, 100_000);
        } catch (error) {
          if (!(error instanceof MalformedBytes)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });
});

test.each(Object.entries(javaFrames))('unpacks what the Java client packed: %s', (code, hex) => {
  expect(unpack(Number(code), Buffer.from(hex, 'hex')).toString()).toBe(written);
});
