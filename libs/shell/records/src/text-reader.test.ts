import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { BadInput } from './bad-input.ts';
import { anyText, fuzz } from './fuzz.fixture.ts';
import { asBuffer, decodeUtf8, TextReader } from './text-reader.ts';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOr(read: () => string): string | undefined {
  try {
    return read();
  } catch (error) {
    // By name: what Node throws is of another realm than Jest's.
    if (['BadInput', 'TypeError'].includes((error as Error).name)) return undefined;
    throw error;
  }
}

describe('text out of bytes', () => {
  test('any bytes: what a strict decoder says, interned or not (rerun: the printed seed)', () => {
    const texts = new TextReader();
    const anyBytes = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      anyText.map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(anyBytes, fc.nat(3), (bytes, before) => {
        const buffer = Buffer.concat([Buffer.alloc(before, 0xff), bytes, Buffer.alloc(2, 0xff)]);
        const end = before + bytes.length;
        const wanted = textOr(() => strict.decode(bytes));
        expect(textOr(() => decodeUtf8(buffer, before, end))).toBe(wanted);
        expect(textOr(() => texts.recurring(buffer, before, end))).toBe(wanted);
        expect(textOr(() => texts.recurring(buffer, before, end))).toBe(wanted);
      }),
      fuzz(2_000),
    );
  });

  test('texts that share a slot replace each other and are never mixed up', () => {
    const texts = new TextReader();
    const mixedUp: string[] = [];
    // Texts that differ in one byte only, wherever it stands; a few of each hundred share a slot.
    for (let at = 0; at < 20; at += 1) {
      for (let byte = 0x20; byte < 0x7f; byte += 1) {
        const bytes = Buffer.alloc(20, 'common text').fill(byte, at, at + 1);
        if (texts.recurring(bytes, 0, bytes.length) !== bytes.toString()) mixedUp.push(bytes.toString());
      }
    }
    expect(mixedUp).toEqual([]);
  });

  test('a refused text is not kept', () => {
    const texts = new TextReader();
    const broken = Buffer.from([0x61, 0xff]);
    expect(() => texts.recurring(broken, 0, 2)).toThrow(BadInput);
    expect(() => texts.recurring(broken, 0, 2)).toThrow(BadInput);
  });

  test('a Uint8Array inside a larger buffer keeps its bounds', () => {
    const whole = Uint8Array.of(1, 2, 3, 4);
    expect([...asBuffer(whole.subarray(1, 3))]).toEqual([2, 3]);
  });
});
