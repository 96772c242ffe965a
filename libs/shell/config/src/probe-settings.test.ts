import { describe, expect, test } from '@jest/globals';
import { minimal, problems, resolve, visits } from './resolving.fixture.ts';

describe('probeIntervalMs', () => {
  test('[Q5] is off by default, and may be written as a length of time', () => {
    expect(resolve(minimal).probeIntervalMs).toBe(0);
    expect(resolve({ ...minimal, probeIntervalMs: '1s' }).probeIntervalMs).toBe(1_000);
    expect(resolve({ ...minimal, probeIntervalMs: 100 }).probeIntervalMs).toBe(100);
  });

  test('[Q5][I4] is refused where probes would be most of what there is, where the input may not be written, and where producers stamp', () => {
    expect(problems({ ...minimal, probeIntervalMs: 99 })).toEqual([
      'probeIntervalMs [99] 0, which is off, or at least 100',
    ]);
    expect(problems({ ...minimal, probeIntervalMs: 600_001 })).toHaveLength(1);
    const unwritten = { ...minimal, probeIntervalMs: 1_000, pipelines: [{ ...visits, proof: 'fetch' }] };
    expect(problems(unwritten)).toEqual([
      'pipelines[0].proof ["fetch"] "record" where there is probeIntervalMs (1000): a probe is a record in the input',
    ]);
    const stamped = { ...visits, input: { topic: 'visit-events', timestampType: 'CreateTime' } };
    expect(problems({ ...minimal, probeIntervalMs: 1_000, pipelines: [stamped] })).toEqual([
      'pipelines[0].input.timestampType ["CreateTime"] "LogAppendTime" where there is probeIntervalMs (1000): the broker has to stamp a probe',
    ]);
  });
});
