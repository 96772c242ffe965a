import { expect } from '@jest/globals';
import type { Outputs } from './scenario.fixture.ts';

/** Figures of the access log in `../data/README.md`, at some settings. */
export interface Figures {
  readonly sessions: number;
  readonly singles: number;
  readonly meanMs: number;
  readonly longestMs: number;
}

const HALF_AN_HOUR: Figures = { sessions: 3_052, singles: 1_607, meanMs: 16_125.8, longestMs: 59_000 };
/** The same by event time, with a grace of 60 s. */
export const HALF_A_MINUTE: Figures = { sessions: 3_276, singles: 1_927, meanMs: 12_465.8, longestMs: 59_000 };
export const TEN_SECONDS: Figures = { sessions: 4_822, singles: 3_300, meanMs: 3_202.6, longestMs: 59_000 };

/** True once every session of the access log can have closed. */
export const allOf =
  ({ sessions }: Figures) =>
  ({ summaries, tombstones }: Outputs): boolean =>
    summaries.length >= sessions && tombstones.length >= sessions;

export const allThere = allOf(HALF_AN_HOUR);

export function expectAccessLog({ summaries, tombstones }: Outputs, figures = HALF_AN_HOUR): void {
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
    summaries: figures.sessions,
    incarnations: figures.sessions,
    tombstones: figures.sessions,
    tombstoned: figures.sessions,
    events: 10_000,
    singles: figures.singles,
    meanMs: figures.meanMs,
    longestMs: figures.longestMs,
    reasons: ['TIMEOUT'],
  });
}
