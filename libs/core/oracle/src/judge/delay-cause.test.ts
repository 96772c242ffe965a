import { expect, test } from '@jest/globals';
import { DelayCauses } from './delay-cause.ts';

test('[V9] a close that came late waited for a backlog, for a proof of its silence, or for nothing but its commit', () => {
  const causes = new DelayCauses();
  causes.moved(0, 1_000_000);
  causes.moved(1_000_000, 1_001_000);
  causes.moved(1_001_000, 1_301_000);
  const at = (dueAt: number, clock: number, appendedAt: number): string => causes.of(dueAt, { clock, appendedAt });
  // Read long after it was written.
  expect(at(1_000_500, 1_001_000, 1_300_000)).toBe('backlog');
  // The log was empty for five minutes, and the close came right after.
  expect(at(1_002_000, 1_301_000, 1_301_020)).toBe('unproved');
  expect(at(1_300_990, 1_301_000, 1_301_020)).toBe('caughtUp');
  // A slow commit.
  expect(at(1_000_500, 1_001_000, 1_005_500)).toBe('caughtUp');
});
