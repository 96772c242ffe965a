// The page of a measurement of memory. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, type Page, verdict } from '../frame/page.ts';
import type { MemoryParts } from '../process-stat.ts';
import type { InstanceAnswer } from '../tasks/instance-task.ts';
import { slopeOf, type Spread, spreadOf } from '../statistics.ts';
import { megabytes, short } from '../text-table.ts';

export interface PopulationMemory {
  readonly sessions: number;
  /** With half of the sessions, and with all of them. */
  readonly half: InstanceAnswer;
  readonly all: InstanceAnswer;
}

export interface ChurnSample {
  readonly atMs: DurationMs;
  readonly liveSessions: number;
  readonly closed: number;
  readonly anonymousBytes: number;
  readonly rssBytes: number;
}

export interface ChurnFigures {
  readonly minutes: number;
  readonly closed: number;
  readonly liveSessions: Spread;
  readonly anonymousBytes: Spread;
  /** By least squares. */
  readonly anonymousBytesPerHour: number;
  /** The same per session that ended: the memory that a session would leave behind. */
  readonly anonymousBytesPerClose: number;
}

/** The project's goal for a bare session with a key of 36 bytes. */
const BYTES_PER_SESSION_MAX = 120;
const HOUR_MS: DurationMs = 3_600_000;

type MemoryRow = ReturnType<typeof memoryRows>[number];

export function memoryRows(measured: readonly PopulationMemory[]) {
  return measured.map(({ sessions, half, all }) => {
    const per = (of: (memory: MemoryParts) => number): number =>
      (of(all.memory) - of(half.memory)) / (all.liveSessions - half.liveSessions);
    const { rssBytes, anonymousBytes } = all.memory;
    /** Growth between the two populations, per session. */
    const [anonymous, file] = [per((memory) => memory.anonymousBytes), per((memory) => memory.fileBytes)];
    return { sessions, anonymousBytesPerSession: anonymous, fileBytesPerSession: file, rssBytes, anonymousBytes };
  });
}

/** @param warmMs from the start, not counted: the population grows, and every size is reached first. */
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

export function memoryPage(churn: ChurnFigures | undefined): Page<MemoryRow> {
  return {
    columns: [
      ['live sessions', ({ sessions }) => short(sessions)],
      ['bytes each', ({ anonymousBytesPerSession }) => anonymousBytesPerSession.toFixed(1)],
      [
        `at most ${BYTES_PER_SESSION_MAX}`,
        ({ anonymousBytesPerSession }) => verdict(anonymousBytesPerSession <= BYTES_PER_SESSION_MAX),
      ],
      ["store's pages", ({ fileBytesPerSession }) => fileBytesPerSession.toFixed(1)],
      ['anonymous', ({ anonymousBytes }) => megabytes(anonymousBytes)],
      ['RSS', ({ rssBytes }) => megabytes(rssBytes)],
    ],
    note: [
      'bytes each: growth of anonymous resident memory (RssAnon + RssShmem) from half of the sessions to all of them, over',
      'the sessions more, in one process, garbage collected and all of it in the local store. Pages of the store that the',
      'kernel has mapped (RssFile) are its own to drop, and are given apart, per session as well.',
    ].join('\n'),
    verdicts: () => (churn === undefined ? [] : ['', churnText(churn)]),
    charts: (rows) => [
      chart(rows, {
        name: 'per-session',
        title: 'resident bytes per live bare session, key of 36; less is better',
        label: ({ sessions }) => `${short(sessions)} sessions`,
        isOurs: () => true,
        bar: ({ anonymousBytesPerSession: bytes }) => ({ median: bytes, min: bytes, max: bytes }),
      }),
    ],
  };
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
