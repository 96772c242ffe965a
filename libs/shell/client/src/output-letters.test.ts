import { describe, expect, test } from '@jest/globals';
import { ERROR_BYTES_MAX, errorHeader } from './output-letters.ts';

const text = new TextDecoder('utf-8', { fatal: true });
const why = (words: string): string => text.decode(errorHeader(words).value);

describe('what a dead letter says of its error', () => {
  test('[I3] is bounded in bytes, at whole characters, and says that it was cut', () => {
    expect(why('no money')).toBe('no money');
    expect(why('x'.repeat(ERROR_BYTES_MAX))).toBe('x'.repeat(ERROR_BYTES_MAX));
    for (const before of ['', 'a', 'ab', 'abc']) {
      const { value } = errorHeader(before + '\u{1f4a5}'.repeat(ERROR_BYTES_MAX));
      expect(value.length).toBeLessThanOrEqual(ERROR_BYTES_MAX);
      expect(value.length).toBeGreaterThan(ERROR_BYTES_MAX - 8);
      expect(text.decode(value)).toMatch(/^[abc]{0,3}(\u{1f4a5})+…$/u);
    }
  });

  test('[I3] a message that is half of a character, or none, is text all the same', () => {
    expect(why('\ud83d')).toBe('\ufffd');
    expect(why('')).toBe('');
  });
});
