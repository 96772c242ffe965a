import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { padded, printable, printableJson, printableKey, shorten } from './printable.ts';

const RERUN = 'rerun with fc.assert(property, { seed, path }) as printed';
// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/u;
const anyText = fc.string({ unit: 'binary' });
const hostile = fc.array(fc.constantFrom('\u001b', '\u009b', '\u202e', '\r', '\n', '\\', '\ud800', 'a', '<b>'));

describe('what a terminal is shown', () => {
  test('[I3] escape sequences, line breaks and bidirectional overrides are shown, not obeyed', () => {
    expect(printable('\u001b[2Ja\r\nb\u202ec\u009b')).toBe('\\u001b[2Ja\\u000d\\u000ab\\u202ec\\u009b');
  });

  test(`[I3] no text gets a control character through (${RERUN})`, () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          hostile.map((parts) => parts.join('')),
        ),
        (text) => {
          expect(printable(text)).not.toMatch(OBEYED);
        },
      ),
    );
  });

  test(`what is shown names one text only (${RERUN})`, () => {
    fc.assert(
      fc.property(hostile, hostile, (left, right) => {
        const [a, b] = [left.join(''), right.join('')];
        expect(printable(a) === printable(b)).toBe(a === b);
      }),
    );
  });

  test('[I3] a key that is not UTF-8 is shown byte by byte', () => {
    expect(printableKey(Uint8Array.of(0x61, 0xff, 0x1b, 0x62))).toBe('a\\xff\\u001bb');
    expect(printableKey(new TextEncoder().encode('größe'))).toBe('größe');
  });

  test(`[I3] JSON is safe on a terminal and reads back as it was (${RERUN})`, () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          hostile.map((parts) => parts.join('')),
        ),
        (text) => {
          const shown = printableJson({ text });
          expect(shown).not.toMatch(OBEYED);
          expect(JSON.parse(shown)).toEqual({ text });
        },
      ),
    );
  });

  test('shortening marks the cut and keeps characters whole', () => {
    expect(shorten('abc', 3)).toBe('abc');
    expect(shorten('abcd', 3)).toBe('ab…');
    expect(shorten('😀😀😀', 4)).toBe('😀…');
  });

  test.each([
    ['日本語の鍵', '日本語… '],
    ['ｶﾅ한국어', 'ｶﾅ한국어'],
    ['🎮🎮🎮🎮🎮', '🎮🎮🎮… '],
    ['e\u0301e\u0301', 'e\u0301e\u0301      '],
  ])('a cell is as wide as the terminal draws it: %s', (text, cell) => {
    expect(padded(shorten(text, 8), 8)).toBe(cell);
  });
});
