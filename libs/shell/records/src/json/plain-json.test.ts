import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isPlainJson } from './plain-json.ts';

function isPlain(text: string): boolean {
  const bytes = Buffer.from(text);
  return isPlainJson(bytes, 0, bytes.length);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '"a"',
  '"a":',
  ' ',
  '\n',
  '\t',
  '\u00a0',
  '\\',
  '\\"',
  'é',
  '\u0001',
];
const SCALARS = [
  '0',
  '-',
  '-0',
  '01',
  '1',
  '.',
  '1.5',
  '1.',
  '.5',
  'e',
  'E+3',
  '12e3',
  'true',
  'tru',
  'null',
  'falsey',
];
const tokens = fc.array(fc.constantFrom(...TOKENS, ...SCALARS), { maxLength: 12 }).map((each) => each.join(''));
const json = fc.oneof(
  fc.json(),
  fc.jsonValue({ stringUnit: 'grapheme-ascii' }).map((value) => JSON.stringify(value, null, 1)),
);
/** JSON, and the same with a character taken out, or another in its place. */
const edited = fc
  .tuple(json, fc.nat(), fc.constantFrom('', ...TOKENS, ...SCALARS))
  .map(([text, at, by]) => text.slice(0, at % text.length) + by + text.slice((at % text.length) + 1));

describe('plain JSON', () => {
  test('is JSON to JSON.parse, too', () => {
    const shown = fc.oneof(tokens, json, edited);
    fc.assert(
      fc.property(shown, (text) => !isPlain(text) || isJson(text)),
      { numRuns: 20_000 },
    );
  });

  test('is what programs write, with spaces or without', () => {
    const name = fc.stringMatching(/^[ !#-[\]-~]*$/);
    const scalar = fc.oneof(name, fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom(0.5, -12.25, 0));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        scalar,
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(name, tie('value'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(
      fc.property(value, fc.constantFrom(0, 1, '\t', ' \r\n'), (it, space) =>
        isPlain(` ${JSON.stringify(it, null, space)}\n`),
      ),
    );
  });

  test('lies within its range: what is beside it makes nothing whole, and nothing broken', () => {
    for (const text of ['tru', '1', '-', '"a', '[1', '{"a":1', '{"a"', '', ' ', '[', '{', 'null'])
      for (const after of ['e', '"', '2', ']', '}', ':1}', 'x']) {
        const bytes = Buffer.from(`[${text}${after}`);
        const end = 1 + Buffer.byteLength(text);
        expect([text, after, isPlainJson(bytes, 1, end)]).toEqual([text, after, isJson(text)]);
      }
  });

  test('is not said of what is left to JSON.parse: escapes, exponents, other than ASCII, depth', () => {
    expect(['"\\n"', '1e3', '"é"', `${'['.repeat(31)}${']'.repeat(31)}`].map(isPlain)).toEqual(Array(4).fill(false));
    expect(isPlain(`${'['.repeat(30)}${']'.repeat(30)}`)).toBe(true);
  });
});
