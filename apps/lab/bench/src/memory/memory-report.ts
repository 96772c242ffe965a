// What a measurement of memory says. Pure.
import type { DurationMs } from '@flatline/base';
import type { BarChart } from '../report/bar-chart.ts';
import { slopeOf, type Spread, spreadOf } from '../statistics.ts';
import { megabytes, short, textTable } from '../text-table.ts';
import type { MemoryParts } from '../population/memory-parts.ts';
import type { ChurnSample, PopulationMemory } from './memory-benchmark.ts';

export interface MemoryFigures {
  readonly sessions: number;
  /** Between the two populations, per session more. */
  readonly anonymousBytesPerSession: number;
  readonly fileBytesPerSession: number;
  readonly rssBytes: number;
  readonly anonymousBytes: number;
}

export interface ChurnFigures {
  readonly minutes: number;
  readonly closed: number;
  readonly liveSessions: Spread;
  readonly anonymousBytes: Spread;
  /** Least squares. */
  readonly anonymousBytesPerHour: number;
  /** The same per session that ended: what one that is gone would leave behind. */
  readonly anonymousBytesPerClose: number;
}

/** What the project promises for a bare session with a key of 36 bytes. */
const BYTES_PER_SESSION_MAX = 120;
const HOUR_MS: DurationMs = 3_600_000;

export function memoryFigures({ sessions, half, all }: PopulationMemory): MemoryFigures {
  const per = (of: (memory: MemoryParts) => number): number =>
    (of(all.memory) - of(half.memory)) / (all.liveSessions - half.liveSessions);
  return {
    sessions,
    anonymousBytesPerSession: per(({ anonymousBytes }) => anonymousBytes),
    fileBytesPerSession: per(({ fileBytes }) => fileBytes),
    rssBytes: all.memory.rssBytes,
    anonymousBytes: all.memory.anonymousBytes,
  };
}

/** @param warmMs from the start, that does not count: the population grows, and every size is reached first. */
export function churnFigures(samples: readonly ChurnSample[], warmMs: DurationMs): ChurnFigures {
  const counted = samples.filter(({ atMs }) => atMs >= warmMs);
  const [first, last] = [counted[0]!, counted.at(-1)!];
  const closed = last.closed - first.closed;
  const perMs = slopeOf(counted.map(({ atMs, anonymousBytes }) => [atMs, anonymousBytes]));
  return {
    minutes: (last.atMs - first.atMs) / 60_000,
    closed,
    liveSessions: spreadOf(counted.map(({ liveSessions }) => liveSessions)),
    anonymousBytes: spreadOf(counted.map(({ anonymousBytes }) => anonymousBytes)),
    anonymousBytesPerHour: perMs * HOUR_MS,
    anonymousBytesPerClose: (perMs * (last.atMs - first.atMs)) / closed,
  };
}

export function memoryText(figures: readonly MemoryFigures[], churn: ChurnFigures | undefined): string {
  const head = ['live sessions', 'bytes each', `at most ${BYTES_PER_SESSION_MAX}`, "store's pages", 'anonymous', 'RSS'];
  const rows = figures.map((row) => [
    short(row.sessions),
    row.anonymousBytesPerSession.toFixed(1),
    row.anonymousBytesPerSession <= BYTES_PER_SESSION_MAX ? 'met' : 'MISSED',
    row.fileBytesPerSession.toFixed(1),
    ...[row.anonymousBytes, row.rssBytes].map(megabytes),
  ]);
  return [
    textTable([head, ...rows]),
    '',
    'bytes each: growth of anonymous resident memory (RssAnon + RssShmem) from half of the sessions to all of them, over',
    'the sessions more, in one process, garbage collected and all of it in the local store. Pages of the store that the',
    'kernel has mapped (RssFile) are its own to drop, and are given apart, per session as well.',
    ...(churn === undefined ? [] : ['', churnText(churn)]),
  ].join('\n');
}

function churnText({ minutes, closed, liveSessions, ...memory }: ChurnFigures): string {
  const megabytesPerHour = memory.anonymousBytesPerHour / 1e6;
  return (
    `churn: ${short(closed)} sessions ended in ${minutes.toFixed(1)} minutes, ${short(liveSessions.median)} lived at a time ` +
    `(${short(liveSessions.min)} – ${short(liveSessions.max)});\n` +
    `anonymous memory ${megabytes(memory.anonymousBytes.median)} (${megabytes(memory.anonymousBytes.min)} – ` +
    `${megabytes(memory.anonymousBytes.max)}), least-squares slope ${megabytesPerHour.toFixed(1)} MB per hour, ` +
    `${memory.anonymousBytesPerClose.toFixed(2)} bytes per session ended`
  );
}

export function memoryCharts(figures: readonly MemoryFigures[]): readonly BarChart[] {
  const bars = figures.map(({ sessions, anonymousBytesPerSession: bytes }) => ({
    label: `${short(sessions)} sessions`,
    median: bytes,
    min: bytes,
    max: bytes,
    ours: true,
  }));
  return [{ name: 'per-session', title: 'resident bytes per live bare session, key of 36; less is better', bars }];
}
