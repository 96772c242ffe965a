import { expect, test } from '@jest/globals';
import { Admission } from './admission.ts';

test('[Q3] ten thousand that come within a second are let in at the rate, each when it was told to come', () => {
  const admission = new Admission({ perSecond: 500, burst: 1_000 });
  const queue = Array.from({ length: 10_000 }, (_, i) => i / 10);
  const letIn: number[] = [];
  let asked = 0;
  while (queue.length > 0) {
    const atMs = queue.shift()!;
    asked += 1;
    const waitMs = admission.ask(atMs);
    if (waitMs === 0) letIn.push(atMs);
    else {
      // As Retry-After says it: in whole seconds.
      const again = atMs + 1_000 * Math.ceil(waitMs / 1_000);
      const at = queue.findIndex((each) => each > again);
      queue.splice(at < 0 ? queue.length : at, 0, again);
    }
  }
  const bySecond = [...Map.groupBy(letIn, (at) => Math.floor(at / 1_000)).values()].map(({ length }) => length);
  expect(Math.max(...bySecond.slice(1))).toBeLessThanOrEqual(1_000);
  expect(letIn).toHaveLength(10_000);
  // Few are turned away more than once.
  expect(asked).toBeLessThan(25_000);
});

test('[Q3] after a while without any, a burst is let in at once', () => {
  const admission = new Admission({ perSecond: 10, burst: 3 });
  const at = (ms: number): boolean => admission.ask(ms) === 0;
  expect([at(0), at(0), at(0), at(0)]).toEqual([true, true, true, false]);
  expect([at(60_000), at(60_000), at(60_000), at(60_000)]).toEqual([true, true, true, false]);
});

test('[Q3] whoever asks again and again, before its turn, keeps others waiting for 40 s at most', () => {
  const admission = new Admission({ perSecond: 500, burst: 1_000 });
  let nowMs = 0;
  let longestMs = 0;
  // 2 000 times a second for a minute.
  for (let i = 0; i < 120_000; i += 1) longestMs = Math.max(longestMs, admission.ask((nowMs = i / 2)));
  longestMs = Math.max(longestMs, admission.ask(nowMs));
  expect(longestMs).toBeLessThanOrEqual(40_000);
});
