import { describe, expect, test } from '@jest/globals';
import { MalformedBytes } from '@flatline/base';
import fc from 'fast-check';
import { ProtocolReader, ProtocolWriter } from './protocol-bytes.ts';

describe('protocol bytes', () => {
  test('what was written is what is read (rerun: the printed seed)', () => {
    const fields = fc.record({
      int8: fc.integer({ min: -128, max: 127 }),
      int16: fc.integer({ min: -32_768, max: 32_767 }),
      int32: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      int64: fc.maxSafeInteger(),
      big: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      uvarint: fc.nat(),
      text: fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: null }),
      compact: fc.string({ maxLength: 300 }),
      bytes: fc.option(fc.uint8Array(), { nil: null }),
      list: fc.array(fc.nat()),
      compactList: fc.array(fc.boolean()),
    });
    fc.assert(
      fc.property(fields, (value) => {
        const writer = new ProtocolWriter(1);
        writer.int8(value.int8).int16(value.int16).int32(value.int32).int64(value.int64).bigint64(value.big);
        writer.uvarint(value.uvarint).string(value.text).compactString(value.compact).bytes(value.bytes);
        writer.array(value.list, (item) => writer.int32(item)).noTags();
        writer.compactArray(value.compactList, (item) => writer.bool(item));
        const reader = new ProtocolReader(writer.finish());
        const [int8, int16, int32] = [reader.int8(), reader.int16(), reader.int32()];
        const [int64, big, uvarint] = [reader.int64(), reader.bigint64(), reader.uvarint()];
        const [text, compact, bytes] = [reader.nullableString(), reader.compactString(), reader.nullableBytes()];
        const list = reader.array((item) => item.int32());
        reader.skipTags();
        const compactList = reader.compactArray((item) => item.bool());
        const read = { int8, int16, int32, int64, big, uvarint, text, compact, list, compactList };
        expect({ ...read, bytes: bytes && new Uint8Array(bytes) }).toEqual({
          ...value,
          text: value.text && wellFormed(value.text),
        });
        expect(reader.position).toBe(writer.length);
      }),
    );
  });

  test('reading beyond the end is malformed, in every kind', () => {
    const reader = new ProtocolReader(Buffer.from([0x7f]));
    for (const read of ['int16', 'int32', 'int64', 'string', 'nullableBytes', 'uuid'] as const)
      expect(() => reader[read]()).toThrow(MalformedBytes);
    expect(() => new ProtocolReader(Buffer.from([0x80, 0x80, 0x80, 0x80, 0x80, 0x01])).uvarint()).toThrow(
      MalformedBytes,
    );
  });
});

/** Lone surrogates cannot be written as UTF-8. */
function wellFormed(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8');
}
