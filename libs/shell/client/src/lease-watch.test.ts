import { expect, test } from '@jest/globals';
import { LeaseWatch } from './lease-watch.ts';

test('[L1] an answer that comes after `unknown` was said is given, too', async () => {
  const watch = new LeaseWatch('q-1');
  const standings = watch.standings();
  watch.giveUp();
  expect((await standings.next()).value).toEqual({ state: 'unknown' });
  const holder = new Map([['name', 'anna']]);
  watch.hear({ type: 'REJECTED', requestId: 'q-1', reason: 'HELD', holder, deadlineAt: 7 } as never);
  expect((await standings.next()).value).toEqual({ state: 'held', holder, token: undefined, deadlineAt: 7 });
  watch.end();
});
