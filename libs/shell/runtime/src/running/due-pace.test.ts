import { expect, test } from '@jest/globals';
import { World } from '../world.fixture.ts';
import { DuePace } from './due-pace.ts';

test.each([1, 7, 1_000, 1_000_000])(
  '[D2] %i a second, a tenth of them at once, whatever is due and however it is asked',
  (perSecond) => {
    const pace = new DuePace(perSecond, 0);
    let taken = 0;
    let now = 0;
    while (now < 60_000) {
      const allowed = pace.allowed(now);
      expect(Number.isInteger(allowed) && allowed >= 0).toBe(true);
      pace.took(allowed);
      taken += allowed;
      expect(taken).toBeLessThanOrEqual((now / 1_000 + 0.1) * perSecond + 1);
      now += pace.waitMs;
    }
    // Nothing of it is lost by waiting as long as it says.
    expect(taken).toBeGreaterThanOrEqual(59 * perSecond);
  },
);

test('[D2] what took effect beyond the allowance is made up for before anything else does', () => {
  const pace = new DuePace(10, 0);
  expect(pace.allowed(0)).toBe(1);
  // An entry may have several due instants, and a tick of the wheel several entries.
  pace.took(4);
  expect([0, 100, 300].map((now) => pace.allowed(now))).toEqual([0, 0, 0]);
  expect(pace.allowed(400)).toBe(1);
});

test('[D2][C5] a peak is spread over the seconds that maxDuePerSecond leaves it, says so, and what comes out is the same', async () => {
  const world = new World({ seed: 61, partitions: 1, timeoutMs: 5_000, maxDuePerSecond: 20 });
  const { time } = world.simulation;
  const process = world.launch('a');
  await time.runFor(3_000);
  for (let i = 0; i < 100; i += 1) world.beat(`d${i}`);
  await time.runFor(6_000);
  const seen: number[] = [];
  let detail: string | undefined;
  for (let tenths = 0; tenths < 60; tenths += 1) {
    await time.runFor(100);
    seen.push(world.closed().length);
    detail ??= process.instance.status()[0]!.detail;
  }
  const inSeconds = seen.slice(10).map((closed, i) => closed - seen[i]!);
  // Commits come each tenth of a second: what one holds may belong to the second before.
  expect(Math.max(...inSeconds)).toBeLessThanOrEqual(20 + 2 * 2 + 2);
  expect(seen[20]).toBeGreaterThan(20);
  expect(detail).toContain('maxDuePerSecond lets 20 a second');
  expect(seen.at(-1)).toBe(100);
  expect(world.closed()).toEqual(world.expected());
});
