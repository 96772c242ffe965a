import { expect, test } from '@jest/globals';
import { armFailpoint, failpoint, isFailpointArmed } from './index.ts';

test('an armed failpoint acts at its nth pass, once, and no other does', () => {
  const passes: string[] = [];
  armFailpoint('commit.cut', 3, () => passes.push('acted'));
  for (let pass = 1; pass <= 5; pass += 1) {
    failpoint('commit.settled');
    failpoint('commit.cut');
    passes.push(String(pass));
  }
  expect(passes).toEqual(['1', '2', 'acted', '3', '4', '5']);
});

test('what is not armed does nothing', () => {
  expect(isFailpointArmed('commit.endSent')).toBe(false);
  failpoint('commit.endSent');
  armFailpoint('commit.endSent', 1, () => undefined);
  expect(isFailpointArmed('commit.endSent')).toBe(true);
  expect(() => {
    armFailpoint('commit.cut', 0, () => undefined);
  }).toThrow('first pass');
});
