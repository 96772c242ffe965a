import { expect, test } from '@jest/globals';
import { Retriable } from '@flatline/base';
import { ManualClock } from '@flatline/base/manual-clock';
import { UnderWay } from './under-way.ts';

test('[X6] what was given up is counted until it has ended', async () => {
  const clock = new ManualClock();
  const underWay = new UnderWay(1);
  const stuck = Promise.withResolvers<string>();
  let ends = 0;
  const ask = (work: Promise<string>): Promise<string> =>
    underWay.run(clock, 100, () => ({ work, end: () => (ends += 1) }));
  const first = ask(stuck.promise);
  await expect(ask(Promise.resolve('second'))).rejects.toThrow('others look at dead letters');
  clock.advance(100);
  await expect(first).rejects.toThrow(Retriable);
  expect(ends).toBe(1);
  await expect(ask(Promise.resolve('third'))).rejects.toThrow('others look at dead letters');
  stuck.reject(new Error('closed'));
  await new Promise((resolve) => setImmediate(resolve));
  await expect(ask(Promise.resolve('fourth'))).resolves.toBe('fourth');
  expect(ends).toBe(2);
});
