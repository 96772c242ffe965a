import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ByteWords, fourDigits } from './byte-words.ts';
import { fuzz } from './fuzz.fixture.ts';

describe('bytes four at a time', () => {
  test('are recognised where all of them are the same (rerun: the printed seed)', () => {
    const anyCase = fc.tuple(fc.uint8Array({ minLength: 4, maxLength: 14 }), fc.nat(3), fc.nat(), fc.nat(255));
    fc.assert(
      fc.property(anyCase, ([bytes, before, where, byte]) => {
        const there = Uint8Array.from(bytes);
        there[where % there.length] = byte;
        const padded = Uint8Array.of(...new Array<number>(before).fill(0), ...there, 0);
        const found = new ByteWords(bytes).areAt(new DataView(padded.buffer), before);
        expect(found).toBe(bytes[where % bytes.length] === byte);
      }),
      fuzz(2_000),
    );
  });

  const wordOf = (text: string): number =>
    new DataView(Uint8Array.from(text, (each) => each.charCodeAt(0)).buffer).getInt32(0, true);

  test('any four digits are the number they say', () => {
    const wrong: string[] = [];
    for (let value = 0; value < 10_000; value += 1) {
      const text = String(value).padStart(4, '0');
      if (fourDigits(wordOf(text)) !== value) wrong.push(text);
    }
    expect(wrong).toEqual([]);
  });

  test('any other byte among them is seen', () => {
    const taken: string[] = [];
    for (const digits of ['0000', '9999', '0909'])
      for (let at = 0; at < 4; at += 1)
        for (let code = 0; code < 256; code += 1) {
          const text = digits.slice(0, at) + String.fromCharCode(code) + digits.slice(at + 1);
          if ((code < 0x30 || code > 0x39) && fourDigits(wordOf(text)) !== -1) taken.push(text);
        }
    expect(taken).toEqual([]);
  });
});
