import { expect, test } from '@jest/globals';
import { nameOf } from './byte-names.ts';
import { NaiveFold } from './naive-fold.ts';
import { blankReach } from './reach.ts';
import { RULES } from './recorded-history.fixture.ts';

const HONEST = new TextEncoder().encode('honest');
const FAST = new TextEncoder().encode('fast');

test('[C6] on CreateTime a stamp moves the clock no further than the commit of its record says', () => {
  const start = 1_700_000_000_000;
  const stated = start + 1_000;
  const fold = new NaiveFold(0, { ...RULES, timestampType: 'CreateTime' }, blankReach());
  const beat = (offset: number, key: Uint8Array, timestamp: number): void => {
    const shape = { value: new Uint8Array(), logAppendTime: false, hasClockHeader: false, event: undefined };
    fold.record({ offset, key, timestamp, ...shape }, stated);
  };
  beat(0, HONEST, start);
  // Half an hour ahead: taken, since maxFutureMs is an hour, and led by maxLeadMs at most.
  beat(1, FAST, start + 1_800_000);
  expect(fold.clock).toBe(stated);
  beat(2, HONEST, start + 500);
  expect(fold.takeClosed()).toEqual([]);
  expect(fold.open.get(nameOf(HONEST))!.eventCount).toBe(2);
});
