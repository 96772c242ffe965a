import { describe, expect, test } from '@jest/globals';
import { minimal, problems, resolve } from './resolving.fixture.ts';

const URL = 'http://127.0.0.1:4318/v1/metrics';

describe('otlp', () => {
  test('[X5] is off by default; once a minute unless it says otherwise', () => {
    expect(resolve(minimal).otlp).toBeUndefined();
    expect(resolve({ ...minimal, otlp: { url: URL } }).otlp).toMatchObject({
      url: URL,
      intervalMs: 60_000,
      ca: undefined,
    });
    expect(resolve({ ...minimal, otlp: { url: URL, intervalMs: '30s' } }).otlp).toMatchObject({ intervalMs: 30_000 });
    expect(resolve({ ...minimal, otlp: { url: URL } }).otlp!.authorization()).toBeUndefined();
  });

  test('[I4] a wrong address, pace or secret is named', () => {
    expect(problems({ ...minimal, otlp: { url: 'collector:4318' } })).toEqual([
      'otlp.url ["collector:4318"] a URL: http://127.0.0.1:4318/v1/metrics',
    ]);
    expect(problems({ ...minimal, otlp: { url: URL, intervalMs: 999 } })).toHaveLength(1);
    expect(problems({ ...minimal, otlp: { url: URL, authorization: { file: '/nowhere/token' } } })).toEqual([
      expect.stringMatching(/^otlp\.authorization .*cannot be read/),
    ]);
  });

  test.each(['http://me:s3cret@127.0.0.1/v1/metrics', 'https://s3cret@collector/v1/metrics'])(
    '[I4] who sends is not said in the address, and what was is not shown: %s',
    (url) => {
      const [problem, ...others] = problems({ ...minimal, otlp: { url } });
      expect(problem).toMatch(/^otlp\.url \[\] .*without user and password.*otlp\.authorization/);
      expect([problem!.includes('s3cret'), others]).toEqual([false, []]);
    },
  );
});
