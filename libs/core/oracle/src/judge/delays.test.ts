import { expect, test } from '@jest/globals';
import { Delays } from './delays.ts';

test('[V9] quantiles are exact below a second and within 1 % above', () => {
  const delays = new Delays();
  for (let ms = 1; ms <= 100; ms += 1) delays.add(ms);
  expect(delays.summary()).toEqual({ count: 100, min: 1, p50: 50, p99: 99, max: 100 });
  for (let each = 0; each < 1_000; each += 1) delays.add(60_000);
  const { p50, p99, max } = delays.summary();
  expect(p50).toBe(60_000);
  expect(p99).toBe(60_000);
  expect(max).toBe(60_000);
  delays.add(1e9);
  expect(delays.summary().p99! / 60_000).toBeLessThan(1.01);
});

test('[V9] without a close there are no quantiles', () => {
  expect(new Delays().summary()).toEqual({ count: 0, min: undefined, p50: undefined, p99: undefined, max: undefined });
});
