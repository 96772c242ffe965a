import { describe, expect, test } from '@jest/globals';
import avsc from 'avsc';
import fc from 'fast-check';
import { anySafeInteger, anyText, fuzz } from '../fuzz.fixture.ts';
import { TextReader } from '../text-reader.ts';
import { AvroReader } from './avro-reader.ts';
import { AvroWriter } from './avro-writer.ts';

const text = avsc.Type.forSchema('string');

function readerOf(bytes: Uint8Array): AvroReader {
  const reader = new AvroReader(new TextReader());
  // Surrounded by bytes that would show if they were read.
  reader.reset(Buffer.concat([Buffer.alloc(3, 0xff), bytes, Buffer.alloc(20, 0x02)]), 3, 3 + bytes.length);
  return reader;
}

function written(write: (writer: AvroWriter) => void): Uint8Array {
  const writer = new AvroWriter();
  write(writer);
  return writer.copy();
}

describe('Avro numbers', () => {
  test('any safe integer: the bytes of the definition, and back (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(anySafeInteger, (value) => {
        const bytes = written((writer) => {
          writer.long(value);
        });
        expect(Buffer.from(bytes).toString('hex')).toBe(Buffer.from(zigzag(BigInt(value))).toString('hex'));
        const reader = readerOf(bytes);
        expect(reader.long()).toBe(value);
        expect(reader.remaining).toBe(0);
      }),
      fuzz(2_000),
    );
  });

  test('beyond 2^53 - 1 in either direction is bad input', () => {
    for (const value of [2n ** 53n, 2n ** 53n + 1n, 2n ** 56n, 2n ** 63n - 1n, -(2n ** 53n), -(2n ** 63n)]) {
      expect(() => readerOf(zigzag(value)).long()).toThrow('beyond 2^53 - 1');
    }
    for (const value of [2n ** 53n - 1n, -(2n ** 53n) + 1n]) expect(readerOf(zigzag(value)).long()).toBe(Number(value));
  });

  test('padded with zeros up to ten bytes is a number, an eleventh byte is not', () => {
    const padded = (bytes: number): Uint8Array => Uint8Array.of(0x82, ...new Array<number>(bytes - 2).fill(0x80), 0);
    expect(readerOf(padded(10)).long()).toBe(1);
    expect(() => readerOf(padded(11)).long()).toThrow('more than ten bytes');
    expect(() => {
      readerOf(padded(11)).skipLong();
    }).toThrow('more than ten bytes');
  });

  test('a number that is cut off is bad input, whatever follows the value', () => {
    expect(() => readerOf(Uint8Array.of(0x80)).long()).toThrow('ends too early');
    expect(() => readerOf(Uint8Array.of()).long()).toThrow('ends too early');
  });
});

describe('Avro texts and the rest', () => {
  test('any text: the bytes of avsc, and back (rerun: the printed seed)', () => {
    fc.assert(
      fc.property(fc.oneof(anyText, fc.string({ minLength: 60, maxLength: 3_000 })), (value) => {
        const bytes = written((writer) => {
          writer.text(value);
        });
        expect(bytes).toEqual(text.toBuffer(value));
        expect(readerOf(bytes).text()).toBe(value);
        expect(readerOf(bytes).recurringText()).toBe(value);
      }),
      fuzz(1_000),
    );
  });

  test('a text that claims more than there is, or less than nothing, is bad input', () => {
    expect(() => readerOf(Uint8Array.of(0x08, 0x61)).text()).toThrow('3 bytes too early');
    expect(() => readerOf(Uint8Array.of(0x01)).text()).toThrow('a length of -1');
    expect(() => readerOf(zigzag(2n ** 52n)).text()).toThrow('too early');
  });

  test('a boolean is 0 or 1', () => {
    expect(readerOf(Uint8Array.of(1)).boolean()).toBe(true);
    expect(readerOf(Uint8Array.of(0)).boolean()).toBe(false);
    expect(() => readerOf(Uint8Array.of(2)).boolean()).toThrow('the byte 2');
  });

  test('a branch outside its union is bad input', () => {
    expect(readerOf(Uint8Array.of(2)).branch(2)).toBe(1);
    expect(() => readerOf(Uint8Array.of(4)).branch(2)).toThrow('branch 2 of a union of 2');
    expect(() => readerOf(Uint8Array.of(1)).branch(2)).toThrow('branch -1');
  });

  test('copies stay what they were when the writer goes on', () => {
    const writer = new AvroWriter();
    writer.text('first');
    const first = writer.copy();
    writer.clear();
    writer.text('other and longer');
    expect(Buffer.from(first).toString('hex')).toBe('0a6669727374');
  });
});

/** The encoding by its definition, for numbers that no JavaScript number holds. */
function zigzag(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, (value << 1n) ^ (value >> 63n));
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  return Uint8Array.of(...bytes, Number(rest));
}
