import { expect } from '@jest/globals';
import type { Outputs } from './scenario.fixture.ts';

const SESSIONS = 3_052;

/** True once every session of the access log can have closed. */
export const allThere = ({ summaries, tombstones }: Outputs): boolean =>
  summaries.length >= SESSIONS && tombstones.length >= SESSIONS;

/** What `../data/README.md` says of the access log at a timeout of 30 minutes. */
export function expectAccessLog({ summaries, tombstones }: Outputs): void {
  const all = summaries.map(({ summary }) => summary);
  expect({
    summaries: all.length,
    incarnations: new Set(all.map(({ incarnation }) => incarnation)).size,
    tombstones: tombstones.length,
    tombstoned: new Set(tombstones.map(({ incarnation }) => incarnation)).size,
    events: all.reduce((sum, { eventCount }) => sum + eventCount, 0),
    singles: all.filter(({ eventCount }) => eventCount === 1).length,
    meanMs: Math.round((all.reduce((sum, { durationMs }) => sum + durationMs, 0) / all.length) * 10) / 10,
    longestMs: Math.max(...all.map(({ durationMs }) => durationMs)),
    reasons: [...new Set(all.map(({ reason }) => reason))],
  }).toEqual({
    summaries: SESSIONS,
    incarnations: SESSIONS,
    tombstones: SESSIONS,
    tombstoned: SESSIONS,
    events: 10_000,
    singles: 1_607,
    meanMs: 16_125.8,
    longestMs: 59_000,
    reasons: ['TIMEOUT'],
  });
}
