import { describe, expect, test } from '@jest/globals';
import type { TurnCost } from '../tasks/contender-task.ts';
import { figuresOf } from './throughput-figures.ts';
import { type ThroughputMeasurement, throughputText } from './throughput-page.ts';

const processor = {
  liveSessions: 100,
  rssBeforeBytes: 1e6,
  anonymousBytes: undefined,
  commits: 5,
  commitP50Ms: 10,
  commitP99Ms: 20,
  cpuToCloseMs: 1_000,
  loopDelay: { p99Ms: 5, maxMs: 300, turnCpuMs: 9 },
};
const cost = (records: number, cpuMs: number, brokerCpuMs?: number): TurnCost => ({
  records,
  elapsedMs: 1_000,
  endedAt: 0,
  cpuMs,
  brokerCpuMs,
  brokerCompilingMs: brokerCpuMs === undefined ? undefined : brokerCpuMs / 4,
  peakRssBytes: 2e6,
  rssBytes: 2e6,
  processor: undefined,
});
const format = {
  format: 'bare' as const,
  costs: {
    flatline: [{ ...cost(1_000, 500), processor }],
    kafkajs: [cost(1_000, 2_000, 30), cost(1_000, 1_000, 10), cost(1_000, 4_000, 20)],
    reader: [cost(1_000, 250)],
    librdkafka: [cost(1_000, 500, 10), cost(1_000, 500)],
    'ks-windows': [{ ...cost(400, 4_000), stopped: true }],
    'ks-windows-on-close': [cost(400, 3_000)],
    'ks-deadlines': [cost(1_000, 5_000)],
    'ks-memory': [cost(1_000, 4_000)],
  },
};
const load = { loadAverage: 0.1, busyShare: 0 };
const measurement: ThroughputMeasurement = {
  machine: { processor: 'none', processors: 2, system: 'linux', node: 'v24', commit: 'a1b2c3d', isDirty: false },
  loadBefore: load,
  loadAfter: load,
  formats: [format],
  settings: { events: 1_000, warmUpShare: 0.2, sessions: 100, partitions: 4, repeats: 3, commitIntervalMs: 200 },
  contenders: [
    { name: 'ks-windows', does: 'session windows', streams: 'windows' },
    { name: 'ks-windows-on-close', does: 'session windows', streams: 'windows' },
    { name: 'ks-deadlines', does: 'deadlines', streams: 'timely' },
    { name: 'ks-memory', does: 'nothing', streams: 'never' },
    { name: 'redis', does: 'a sorted set', lacks: 'a summary' },
  ],
  notes: ['Kafka Streams: exactly once'],
  absent: ['redis: no redis-server'],
  versions: ['Java 17.0.15', 'Redis 7.0.15'],
};

describe('the report of a throughput run', () => {
  test('compares medians per CPU second', () => {
    const { contenders, processor: figures } = figuresOf(format, measurement.contenders);
    expect(contenders.map(({ contender }) => contender)).toEqual([
      'flatline',
      'kafkajs',
      'reader',
      'librdkafka',
      'ks-windows',
      'ks-windows-on-close',
      'ks-deadlines',
      'ks-memory',
    ]);
    expect(contenders[1]!.eventsPerCpuSecond).toEqual({ median: 500, min: 250, max: 1_000 });
    expect([figures.timesKafkajs, figures.timesReader, figures.rssBytesPerSession.median]).toEqual([4, 0.5, 10_000]);
  });

  test('names contenders that did not get through, and those that did not take part', () => {
    const text = throughputText(measurement);
    expect(text).toContain('250 ms ever: MISSED: 5 / 300 / 9 ms');
    expect(text).toMatch(/^ks-windows +400 +100 .* 0\.200 +20\.0 × +400 +1\.0 +stopped/m);
    expect(text).toMatch(/^kafkajs +1000 +500 .* 1000 +1\.0 +\d+ MB/m);
    expect(text).toContain('not run: redis: no redis-server');
  });

  test("gives the broker's CPU time beside a contender's own, and no figure where a turn has none", () => {
    const text = throughputText(measurement);
    expect(text).toMatch(/^kafkajs +1000 +500 +\(\S+ – \S+\) +20\.0 +5\.00 +1\.00/m);
    expect(text).toMatch(/^librdkafka +1000 +2000 +n\/a +– +4\.00/m);
  });

  test('names what peers run on, what they leave out, and what a C client takes to read', () => {
    const text = throughputText(measurement);
    expect(text).toContain('\nJava 17.0.15, Redis 7.0.15\n');
    expect(text).toContain('redis: a sorted set\n  lacks a summary\n');
    expect(text).toMatch(/ks-windows: session windows$/m);
    expect(text).toContain('librdkafka merely reading 1.00 × (at least 1: met); our reader is 2.00 × as fast');
    const withoutIt = Object.entries(format.costs).filter(([name]) => name !== 'librdkafka');
    expect(
      figuresOf({ ...format, costs: Object.fromEntries(withoutIt) }, []).processor.timesLibrdkafka,
    ).toBeUndefined();
  });

  test("compares with Kafka Streams' best variant, and with the best of those that close sessions", () => {
    const { timesStreams: times } = figuresOf(format, measurement.contenders).processor;
    expect(times).toEqual({
      best: { contender: 'ks-memory', times: 8, closes: false },
      bestClosing: { contender: 'ks-deadlines', times: 10, closes: true },
      windows: { contender: 'ks-windows-on-close', times: expect.closeTo(15), closes: true },
    });
    const text = throughputText(measurement);
    expect(text).toContain('best variant (ks-memory, which closes nothing) 8.00 × (at least 15: MISSED)');
    expect(text).toContain('best variant that closes sessions (ks-deadlines) 10.00 × (at least 15: MISSED)');
    expect(text).toContain('session windows (ks-windows-on-close) 15.00 × (at least 80: MISSED)');
    expect(figuresOf(format, []).processor.timesStreams.best).toBeUndefined();
  });

  test('is void on a machine that is busy with other things', () => {
    expect(throughputText(measurement)).not.toContain('WARNING');
    const busy = { loadAverage: 9, busyShare: 0.5 };
    expect(throughputText({ ...measurement, loadAfter: busy })).toContain('WARNING: the machine was busy');
  });
});
