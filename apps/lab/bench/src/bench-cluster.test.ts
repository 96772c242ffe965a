import { describe, expect, test } from '@jest/globals';
import { BrokerCpu, cpuWithin } from './bench-cluster.ts';

const samples = [
  { at: 1_000, cpuMs: 500 },
  { at: 1_100, cpuMs: 520 },
  { at: 1_200, cpuMs: 700 },
  { at: 1_300, cpuMs: 700 },
];

describe("the broker's CPU time", () => {
  test('of a span is what its processes took between its ends, evenly between two samples', () => {
    expect(cpuWithin(samples, { endedAt: 1_200, elapsedMs: 100 })).toBe(180);
    expect(cpuWithin(samples, { endedAt: 1_150, elapsedMs: 100 })).toBe(100);
    expect(cpuWithin(samples, { endedAt: 1_300, elapsedMs: 300 })).toBe(200);
  });

  test('is not known beyond the samples: a span that ends there is no cheap one', () => {
    expect(cpuWithin(samples, { endedAt: 1_301, elapsedMs: 1 })).toBeUndefined();
    expect(cpuWithin(samples, { endedAt: 1_200, elapsedMs: 201 })).toBeUndefined();
    expect(cpuWithin([], { endedAt: 1_200, elapsedMs: 10 })).toBeUndefined();
  });

  test('is not known of brokers that are not ours, or of which one node is not seen', () => {
    expect(new BrokerCpu([]).nowMs()).toBeUndefined();
    expect(new BrokerCpu([undefined]).nowMs()).toBeUndefined();
    const ours = new BrokerCpu([process.pid, process.pid]).nowMs();
    const isSeen = process.platform === 'linux';
    expect(ours === undefined ? false : ours > 0).toBe(isSeen);
    expect(new BrokerCpu([process.pid, undefined]).nowMs()).toBeUndefined();
  });
});
