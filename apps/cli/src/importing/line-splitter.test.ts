import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LineSplitter, type NumberedLine } from './line-splitter.ts';

function split(chunks: readonly Uint8Array[], lineBytesMax: number): NumberedLine[] {
  const splitter = new LineSplitter(lineBytesMax);
  return [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
}

const utf8 = new TextEncoder();

describe('lines out of chunks', () => {
  test('the same lines whatever the cuts (rerun with fc.assert(property, { seed, path }) as printed)', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ö', '😀', '\t', '"'), maxLength: 12 });
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(fc.array(line), fc.boolean(), cuts, (lines, newlineAtEnd, sizes) => {
        const bytes = utf8.encode(lines.join('\n') + (newlineAtEnd ? '\n' : ''));
        const chunks: Uint8Array[] = [];
        for (let at = 0, i = 0; at < bytes.length; i += 1) {
          const size = sizes[i % sizes.length]!;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const expected = new TextDecoder().decode(bytes).split('\n');
        if (expected.at(-1) === '') expected.pop();
        expect(split(chunks, 1000).map(({ text }) => text)).toEqual(expected);
      }),
    );
  });

  test('a line beyond the maximum has no text; the lines around it are whole and keep their numbers', () => {
    const chunks = ['ab\n123', '456', '7\ncd\n', '12345\n123456'].map((text) => utf8.encode(text));
    expect(split(chunks, 5)).toEqual([
      { number: 1, text: 'ab' },
      { number: 2, text: undefined },
      { number: 3, text: 'cd' },
      { number: 4, text: '12345' },
      { number: 5, text: undefined },
    ]);
  });

  test('carriage returns before newlines and a byte order mark at the start are no content', () => {
    expect(split([utf8.encode('\ufeffa\r\nb\r\n\ufeffc')], 100).map(({ text }) => text)).toEqual(['a', 'b', '\ufeffc']);
  });
});
