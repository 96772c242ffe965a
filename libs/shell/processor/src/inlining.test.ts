import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { INLINING_FLAG } from './inlining.ts';

describe('inlining', () => {
  test('is bounded by a flag that this V8 has: an unknown one is refused on a command line', () => {
    const started = (flag: string): string =>
      execFileSync(process.execPath, [flag, '--eval', 'console.log(1)'], { encoding: 'utf8', stdio: 'pipe' });
    expect(started(INLINING_FLAG)).toBe('1\n');
    expect(() => started(`${INLINING_FLAG.split('=')[0]!}-of-old=1`)).toThrow('bad option');
  });
});
