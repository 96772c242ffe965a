import { describe, expect, test } from '@jest/globals';
import { contenders } from './contenders.ts';
import { median, measureQueue, type Cost } from './measurement.ts';
import { measureNodeTimers } from './node-timers.ts';
import { judge, type WheelRow, wheelText } from './wheel-page.ts';

const cost: Cost = { insertNs: 20, rearmNs: 80, rearmEarlierNs: 100, fireNs: 300, bytesPerTimer: 16 };
const ones: Cost = { insertNs: 1, rearmNs: 1, rearmEarlierNs: 1, fireNs: 1, bytesPerTimer: 1 };
const row = (timers: number, changes: Partial<WheelRow> = {}): WheelRow => ({
  contender: contenders[0]!.name,
  timers,
  ...cost,
  timesWheel: ones,
  ...changes,
});

describe('measuring', () => {
  test.each(contenders)('gives every figure of $name', (contender) => {
    const { insertNs, rearmNs, fireNs } = measureQueue(contender, 5000, 1, 5000);
    for (const ns of [insertNs, rearmNs, fireNs]) expect(ns).toBeGreaterThan(0);
  });

  test('gives every figure of Node’s timers', async () => {
    const { insertNs, rearmNs, fireNs } = await measureNodeTimers(5000, 1, 5000);
    for (const ns of [insertNs, rearmNs, fireNs]) expect(ns).toBeGreaterThan(0);
  });

  test('the median is the middle value', () => {
    expect(median([9, 1, 5])).toBe(5);
  });
});

describe('judging', () => {
  test('targets are met at their limits and missed beyond', () => {
    expect(judge([row(10_000), row(10_000_000)]).map(({ met }) => met)).toEqual([true, true, true, true]);
    const beyond = row(10_000_000, { insertNs: 61, rearmNs: 101, bytesPerTimer: 24.1 });
    expect(judge([row(10_000), beyond]).map(({ met }) => met)).toEqual([false, false, false, false]);
    const limits = row(10_000_000, { insertNs: 30, rearmNs: 100, bytesPerTimer: 24 });
    expect(judge([row(10_000, { insertNs: 10 }), limits]).map(({ met }) => met)).toEqual([true, true, true, true]);
  });

  test('a size that was not measured decides nothing, and a peer is not judged', () => {
    expect(judge([row(10_000)])).toEqual([]);
    expect(judge([row(10_000_000)])).toHaveLength(3);
    expect(judge([row(10_000_000, { contender: 'binary heap' })])).toEqual([]);
  });
});

test('the table shows each figure with its multiple of the wheel’s', () => {
  const rows = [row(1000), row(1000, { contender: 'peer', insertNs: 240, timesWheel: { ...ones, insertNs: 12 } })];
  const text = wheelText({ node: 'v0', cpu: 'none', rounds: 1, notes: { peer: 'slow' }, rows, targets: [] });
  expect(text).toMatch(/1,000 {2}timing wheel +20\.0 \(1\.0\)/);
  expect(text).toMatch(/1,000 {2}peer +240 \(12\.0\)/);
  expect(text).toContain('peer: slow');
});
