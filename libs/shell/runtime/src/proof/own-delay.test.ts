import { expect, test } from '@jest/globals';
import { Simulation } from '@flatline/cluster';
import { OwnDelay } from './own-delay.ts';

test('the delay of timers counts, of one still late too; time spent elsewhere does not', async () => {
  const { time } = new Simulation({ seed: 1 });
  let lateMs = 0;
  const clock = {
    wallMs: () => 0,
    monotonicMs: () => time.nowMs,
    after: (ms: number, run: () => void) => time.after(ms + lateMs, run),
  };
  const quick = new OwnDelay(clock);
  await time.runFor(1_000);
  expect(quick.end()).toBe(0);
  lateMs = 30;
  const busy = new OwnDelay(clock);
  await time.runFor(800);
  expect(busy.end()).toBe(300);
  lateMs = 10_000;
  const stopped = new OwnDelay(clock);
  await time.runFor(5_000);
  expect(stopped.end()).toBe(4_950);
  expect(stopped.end()).toBe(4_950);
});
