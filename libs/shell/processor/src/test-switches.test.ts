import { describe, expect, test } from '@jest/globals';
import { FAILPOINTS } from '@flatline/base';
import { parseFailpoint } from './test-switches.ts';

describe('FLATLINE_FAILPOINT', () => {
  test('names a place, the pass that counts, and what happens there', () => {
    expect(parseFailpoint('commit.endSent:7')).toEqual({ name: 'commit.endSent', passes: 7, blockMs: undefined });
    expect(parseFailpoint('input.read:20:block=800')).toEqual({ name: 'input.read', passes: 20, blockMs: 800 });
  });

  test.each(['', 'commit.endSent', 'commit.endSent:0', 'commit.endSent:x', 'nowhere:1', 'commit.cut:1:sleep=3'])(
    '"%s" is refused with what is allowed',
    (text) => {
      expect(() => parseFailpoint(text)).toThrow(FAILPOINTS.join(', '));
    },
  );
});
