import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { fuzz } from '../fuzz.fixture.ts';
import { JsonWriter } from './json-writer.ts';

function written(write: (writer: JsonWriter) => void): string {
  const writer = new JsonWriter();
  write(writer);
  return Buffer.from(writer.copy()).toString('utf8');
}

describe('JSON as bytes', () => {
  test('any text is written as JSON.stringify writes it', () => {
    const anyText = fc.oneof(
      fc.string(),
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme', maxLength: 400 }),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        expect(
          written((writer) => {
            writer.string(text);
          }),
        ).toBe(JSON.stringify(text));
      }),
      fuzz(1_000),
    );
  });

  test('half a surrogate pair is escaped', () => {
    expect(
      written((writer) => {
        writer.string('a\uD83D"');
      }),
    ).toBe(String.raw`"a\ud83d\""`);
  });

  test('any number is written as a JavaScript string has it', () => {
    const cut = fc.constantFrom(0, 9, 10, 999_999_999, 1e9, 1e9 + 1, 1_000_000_007, 2 ** 31, 2 ** 32, 2 ** 53 - 1, -1);
    fc.assert(
      fc.property(fc.oneof(cut, fc.maxSafeInteger(), fc.double()), (number) => {
        expect(
          written((writer) => {
            writer.number(number);
          }),
        ).toBe(String(number));
      }),
      fuzz(1_000),
    );
  });

  test('text out of its bytes where it is plain ASCII, and nothing at all where it is not', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const writer = new JsonWriter();
        const isPlain = bytes.every((byte) => byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c);
        expect(writer.asciiString(bytes)).toBe(isPlain);
        expect(Buffer.from(writer.copy()).toString('latin1')).toBe(
          isPlain ? JSON.stringify(Buffer.from(bytes).toString('latin1')) : '',
        );
      }),
      fuzz(1_000),
    );
  });

  test('what was copied stays as it is, short or longer than a piece of memory', () => {
    const writer = new JsonWriter();
    const copies = [3, 5_000, 9_000, 70_000, 4].map((length, index) => {
      writer.clear();
      writer.string(String(index).repeat(length));
      return writer.copy();
    });
    expect(copies.map((copy) => JSON.parse(Buffer.from(copy).toString()) as string)).toEqual(
      [3, 5_000, 9_000, 70_000, 4].map((length, index) => String(index).repeat(length)),
    );
  });
});
