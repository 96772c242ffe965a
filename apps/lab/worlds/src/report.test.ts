import { expect, test } from '@jest/globals';
import { REACH_SEEDS_MIN } from './reach.ts';
import { cutShortText } from './report.ts';

test('a campaign that time has cut short says that faults were not counted; one that asked for few does not', () => {
  const asked = REACH_SEEDS_MIN + 200;
  expect(cutShortText({ seeds: 900 }, asked)).toMatch(/^not run: .* 2000 seeds on, and time was up after 900$/);
  expect(cutShortText({ seeds: REACH_SEEDS_MIN }, asked)).toBeUndefined();
  expect(cutShortText({ seeds: 200 }, 200)).toBeUndefined();
});
