import { describe, expect, test } from '@jest/globals';
import type { ContenderCost } from './contender-task.ts';
import type { ThroughputMeasurement } from './throughput-benchmark.ts';
import { figuresOf, throughputText } from './throughput-report.ts';

const processor = {
  ...{ liveSessions: 100, rssBeforeBytes: 1e6, anonymousBytes: undefined },
  ...{ commits: 5, commitP50Ms: 10, commitP99Ms: 20, cpuToCloseMs: 1_000 },
  loopDelay: { p99Ms: 5, maxMs: 300, turnCpuMs: 9 },
};
const cost = (records: number, cpuMs: number): ContenderCost => ({
  ...{ records, elapsedMs: 1_000, cpuMs, peakRssBytes: 2e6, rssBytes: 2e6 },
  processor: undefined,
});
const format = {
  format: 'bare' as const,
  costs: {
    flatline: [{ ...cost(1_000, 500), processor }],
    kafkajs: [cost(1_000, 2_000), cost(1_000, 1_000), cost(1_000, 4_000)],
    reader: [cost(1_000, 250)],
    librdkafka: [cost(1_000, 500)],
    'ks-windows': [{ ...cost(400, 4_000), stopped: true }],
  },
};
const load = { loadAverage: 0.1, busyShare: 0 };
const measurement: ThroughputMeasurement = {
  machine: { processor: 'none', processors: 2, system: 'linux', node: 'v24', commit: 'a1b2c3d' },
  ...{ loadBefore: load, loadAfter: load, formats: [format] },
  settings: { events: 1_000, sessions: 100, partitions: 4, repeats: 3, commitIntervalMs: 200 },
  contenders: [
    { name: 'ks-windows', does: 'session windows' },
    { name: 'redis', does: 'a sorted set', lacks: 'a summary' },
  ],
  absent: ['Kafka Streams: no Java'],
  versions: ['Java 17.0.15', 'Redis 7.0.15'],
};

describe('the report of a throughput run', () => {
  test('compares medians per CPU second', () => {
    const { contenders, processor: figures } = figuresOf(format);
    expect(contenders.map(({ contender }) => contender)).toEqual([
      ...['flatline', 'kafkajs', 'reader', 'librdkafka', 'ks-windows'],
    ]);
    expect(contenders[1]!.eventsPerCpuSecond).toEqual({ median: 500, min: 250, max: 1_000 });
    expect([figures.timesKafkajs, figures.timesReader, figures.rssBytesPerSession.median]).toEqual([4, 0.5, 10_000]);
  });

  test('says who did not get through, and who did not take part', () => {
    const text = throughputText(measurement);
    expect(text).toContain('ks-windows was stopped at 400 of 1000 events');
    expect(text).not.toContain('kafkajs was stopped');
    expect(text).toContain('250 ms ever: MISSED: 5 / 300 / 9 ms');
    expect(text).toMatch(/^ks-windows +400 +100 .* 0\.200 +20\.0 ×/m);
    expect(text).toContain('not run: Kafka Streams: no Java');
  });

  test('names what peers run on, what they leave out, and what a C client takes to read', () => {
    const text = throughputText(measurement);
    expect(text).toContain('\nJava 17.0.15, Redis 7.0.15\n');
    expect(text).toContain('redis: a sorted set\n  lacks a summary\n');
    expect(text).toMatch(/ks-windows: session windows$/m);
    expect(text).toContain('the processor 1.00 ×, the reader 2.00 ×');
    const withoutIt = Object.entries(format.costs).filter(([name]) => name !== 'librdkafka');
    expect(figuresOf({ ...format, costs: Object.fromEntries(withoutIt) }).processor.timesLibrdkafka).toBeUndefined();
  });

  test('is void on a machine that is busy with other things', () => {
    expect(throughputText(measurement)).not.toContain('WARNING');
    const busy = { loadAverage: 9, busyShare: 0.5 };
    expect(throughputText({ ...measurement, loadAfter: busy })).toContain('WARNING: the machine was busy');
  });
});
