import { expect, test } from '@jest/globals';
import { isWithinLimit } from './lease-size.ts';

type Start = Parameters<typeof isWithinLimit>[1][number];

test('[L4] a waiting start is weighed once, however many follow: counted', () => {
  let looks = 0;
  let starts = 0;
  const start = (length: number): Start => {
    starts += 1;
    const ownKeys = (target: Readonly<Record<string, string>>): (string | symbol)[] => {
      looks += 1;
      return Reflect.ownKeys(target);
    };
    const attributes = new Proxy<Readonly<Record<string, string>>>({ a: 'm'.repeat(length) }, { ownKeys });
    return { offset: 1, timeoutMs: 1, until: 1, requestId: undefined, attributes };
  };
  const holder = start(30_000_000);
  const waiting: Start[] = [start(30_000_000)];
  for (let count = 0; count < 20; count += 1) {
    waiting.push(start(10));
    expect(isWithinLimit(holder, waiting)).toBe(true);
  }
  expect(isWithinLimit(holder, [...waiting, start(4_000_000)])).toBe(false);
  // Once for the upper bound, once for the exact size.
  expect(looks).toBeLessThanOrEqual(2 * starts);
});
