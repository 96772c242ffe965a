import { expect, test } from '@jest/globals';
import { Gauge, Registry } from '@prometheus-io/client';
import { exposition } from './exposition.ts';

test('[X5] a scrape lets the loop turn after some hundred lines, and says the same as in one piece', async () => {
  const registry = new Registry();
  for (let metric = 0; metric < 20; metric += 1) {
    const gauge = new Gauge({ name: `g${metric}`, help: 'h', labelNames: ['of'], registers: [registry] });
    for (let of = 0; of < 100; of += 1) gauge.set({ of: String(of) }, of);
  }
  let turns = 0;
  const text = await exposition(registry, () => {
    turns += 1;
    return Promise.resolve();
  });
  expect(text).toBe(await registry.metrics());
  // 102 lines each: after every fourth.
  expect(turns).toBe(5);
});

test('[X5] a scrape lets the loop turn after eight metrics of one line: each may sum up a thousand partitions', async () => {
  const registry = new Registry();
  for (let metric = 0; metric < 20; metric += 1)
    new Gauge({ name: `g${metric}`, help: 'h', registers: [registry] }).set(metric);
  let turns = 0;
  const text = await exposition(registry, () => {
    turns += 1;
    return Promise.resolve();
  });
  expect(text).toBe(await registry.metrics());
  expect(turns).toBe(2);
});
