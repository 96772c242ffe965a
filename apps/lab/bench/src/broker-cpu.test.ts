import { describe, expect, test } from '@jest/globals';
import { BrokerCpu, spentWithin } from './broker-cpu.ts';

const samples = [
  { at: 1_000, cpuMs: 500, compilingMs: 300 },
  { at: 1_100, cpuMs: 520, compilingMs: 310 },
  { at: 1_200, cpuMs: 700, compilingMs: 400 },
  { at: 1_300, cpuMs: 700, compilingMs: 400 },
];
const within = (endedAt: number, elapsedMs: number) => spentWithin(samples, { endedAt, elapsedMs });
const UNSEEN = { brokerCpuMs: undefined, brokerCompilingMs: undefined };

describe("the broker's CPU time", () => {
  test('of a span is what its processes took between its ends, evenly between two samples', () => {
    expect(within(1_200, 100)).toEqual({ brokerCpuMs: 180, brokerCompilingMs: 90 });
    expect(within(1_150, 100)).toEqual({ brokerCpuMs: 100, brokerCompilingMs: 50 });
    expect(within(1_300, 300)).toEqual({ brokerCpuMs: 200, brokerCompilingMs: 100 });
  });

  test('is known where what it took to compile is not', () => {
    const native = samples.map((sample) => ({ ...sample, compilingMs: undefined }));
    const spent = { brokerCpuMs: 100, brokerCompilingMs: undefined };
    expect(spentWithin(native, { endedAt: 1_150, elapsedMs: 100 })).toEqual(spent);
  });

  test('is not known beyond the samples: a span that ends there is no cheap one', () => {
    expect(within(1_301, 1)).toEqual(UNSEEN);
    expect(within(1_200, 201)).toEqual(UNSEEN);
    expect(spentWithin([], { endedAt: 1_200, elapsedMs: 10 })).toEqual(UNSEEN);
  });

  test('is not known of brokers that are not ours, or of which one node is not seen', () => {
    expect(new BrokerCpu([]).now()).toBeUndefined();
    expect(new BrokerCpu([undefined]).now()).toBeUndefined();
    const ours = new BrokerCpu([process.pid, process.pid]).now();
    const isSeen = process.platform === 'linux';
    expect(ours === undefined ? false : ours.cpuMs > 0).toBe(isSeen);
    // Node has no such threads.
    expect(ours?.compilingMs).toBeUndefined();
    expect(new BrokerCpu([process.pid, undefined]).now()).toBeUndefined();
    expect(new BrokerCpu([undefined]).since(ours)).toEqual(UNSEEN);
  });
});
