import { expect, test } from '@jest/globals';
import { SilentEndpoints } from './silent-endpoints.ts';

test('[Q1] an address that was asked in vain is tried once in a while, until it is heard', () => {
  const silent = new SilentEndpoints();
  expect(silent.isTryDue('a', 0)).toBe(false);
  silent.waitedInVain('a', 0, 900);
  expect([silent.isSilent('a'), silent.isSilent('b')]).toEqual([true, false]);
  expect([1_000, 1_899, 1_900, 1_901, 2_899, 2_900].map((at) => silent.isTryDue('a', at))).toEqual([
    false,
    false,
    true,
    false,
    false,
    true,
  ]);
  silent.heard('a', 3_000);
  expect([silent.isSilent('a'), silent.isTryDue('a', 9_000)]).toEqual([false, false]);
});

test('[Q1] one that is slow is not silent: somebody has heard it meanwhile', () => {
  const silent = new SilentEndpoints();
  silent.heard('a', 500);
  silent.waitedInVain('a', 0, 900);
  expect(silent.isSilent('a')).toBe(false);
  silent.waitedInVain('a', 501, 1_400);
  expect(silent.isSilent('a')).toBe(true);
});

test('[X6] so many addresses are known, and the oldest forgotten', () => {
  const silent = new SilentEndpoints();
  for (let i = 0; i < 1_001; i += 1) silent.waitedInVain(`host-${i}`, 0, 1);
  expect([silent.isSilent('host-0'), silent.isSilent('host-1')]).toEqual([false, true]);
});
