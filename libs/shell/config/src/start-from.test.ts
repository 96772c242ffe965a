import { describe, expect, test } from '@jest/globals';
import { minimal, problems, resolve, visits } from './resolving.fixture.ts';

describe('where a new application begins to read', () => {
  test.each([
    [undefined, 'earliest'],
    ['latest', 'latest'],
    [{ timestamp: 1_700_000_000_000 }, { timestamp: 1_700_000_000_000 }],
    [{ timestamp: '2026-11-22T10:00:00+01:00' }, { timestamp: Date.UTC(2026, 10, 22, 9) }],
  ])('[R3] startFrom %j is %j', (startFrom, resolved) => {
    const { pipelines } = resolve({ ...minimal, pipelines: [{ ...visits, startFrom }] });
    expect(pipelines[0]!.startFrom).toEqual(resolved);
  });

  test.each(['now', 5, { timestamp: '2026-11-22T10:00:00' }, { timestamp: -1 }, { timestamp: 1_700_000_000 }, {}])(
    '[I4] startFrom %j is none, and it says what is',
    (startFrom) => {
      const [problem, ...others] = problems({ ...minimal, pipelines: [{ ...visits, startFrom }] });
      expect(others).toEqual([]);
      expect(problem).toMatch(/^pipelines\[0\]\.startFrom(\.timestamp)? \[.+\] ("earliest", "latest" or|too small)/);
    },
  );

  test('[I4] a startFrom that is in seconds or has no zone is shown as it stands', () => {
    const of = (timestamp: unknown): string[] =>
      problems({ ...minimal, pipelines: [{ ...visits, startFrom: { timestamp } }] });
    expect(of(1_700_000_000)).toEqual([expect.stringMatching(/1700000000.*seconds have to be multiplied by 1000/)]);
    expect(of('2026-11-22T10:00:00')).toEqual([expect.stringContaining('2026-11-22T10:00:00')]);
  });

  test('[I4] a startFrom that lies ahead is refused, with how far; one that is now, or was, is none of it', () => {
    const now = Date.UTC(2026, 10, 22, 12);
    const of = (...timestamps: unknown[]): string[] => {
      const pipelines = timestamps.map((timestamp, i) => ({
        ...visits,
        name: `p${i}`,
        output: { topic: `out${i}` },
        startFrom: { timestamp },
      }));
      return problems({ ...minimal, pipelines }, {}, now);
    };
    expect(of(now, now - 1, '2026-11-22T13:00:00+01:00')).toEqual([]);
    expect(of(now + 1, '2026-11-22T12:30:00Z', Number.MAX_SAFE_INTEGER)).toEqual([
      `pipelines[0].startFrom.timestamp [${now + 1}] an instant that has passed: 2026-11-22T12:00:00.001Z is 1 ms ahead of ` +
        "this machine's clock (2026-11-22T12:00:00.000Z), and records that come before it would be read. Start then, or " +
        'use "latest"',
      expect.stringContaining('2026-11-22T12:30:00.000Z is 1800000 ms ahead'),
      expect.stringContaining(`[${Number.MAX_SAFE_INTEGER}] an instant that has passed`),
    ]);
  });
});
