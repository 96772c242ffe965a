import { expect, test } from '@jest/globals';
import { ManualClock } from '@flatline/base/manual-clock';
import { OwnerWatch, type SilentOwner } from './owner-watch.ts';

const INTERVAL_MS = 10_000;

function watch(commitsAt: (nowMs: number) => number) {
  const clock = new ManualClock();
  const owners = new OwnerWatch({
    self: 'a',
    changelogTopic: 'log',
    intervalMs: INTERVAL_MS,
    clock,
    admin: {
      leaderName: () => Promise.resolve('broker 1'),
      ends: () => Promise.resolve({ lastStableOffset: commitsAt(clock.monotonicMs()) } as never),
    },
    instances: () => [
      { name: 'a', endpoint: '', partitions: [0], standbys: [] },
      { name: 'b', endpoint: '', partitions: [1], standbys: [] },
    ],
  });
  owners.start();
  return { clock, owners };
}

test('[Q5] an owner whose probes come once in their interval, a little later than the looks each time, is never silent', async () => {
  // Each probe begins an interval after the last, and its timer fires 20 ms late.
  const { clock, owners } = watch((now) => Math.floor((now + 50) / (INTERVAL_MS + 20)));
  const said: (SilentOwner & { readonly at: number })[] = [];
  for (let at = 0; at < 120_000; at += 100) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
    for (const each of owners.silent()) said.push({ ...each, at: clock.monotonicMs() });
  }
  expect(said.slice(0, 2)).toEqual([]);
});

test('[Q5] QW1 who wakes after an hour says of no other that it was silent', async () => {
  const { clock, owners } = watch((now) => Math.floor(now / 1_000));
  for (let at = 0; at < 60_000; at += 100) {
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(owners.silent()).toEqual([]);
  clock.advance(3_600_000);
  // In the turn in which it wakes, before any broker has answered.
  expect(owners.silent()).toEqual([]);
});
