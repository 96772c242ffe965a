// The page of a measurement of a processor that is looked at. Pure.
import type { DurationMs } from '@flatline/base';
import { chart, combine, decided, type Page, rowsOf } from '../frame/page.ts';
import { medianWithin, spreadOf } from '../statistics.ts';
import { medianText, rangeText, seconds } from '../text-table.ts';
import type { Looks } from './onlookers.ts';

export interface WatchedTurn {
  readonly how: 'alone' | 'watched';
  readonly events: number;
  readonly elapsedMs: DurationMs;
  /** Supervisor and worker. */
  readonly cpuMs: DurationMs;
  readonly looks: Looks;
}

/** The project's goal. */
const SHARE_MIN = 0.97;

const { spread, spreads } = combine<WatchedTurn>();
const FIGURES = {
  ...spreads('elapsedMs', 'cpuMs'),
  perSecond: spread(({ events, elapsedMs }) => (1_000 * events) / elapsedMs),
  perCpuSecond: spread(({ events, cpuMs }) => (1_000 * events) / cpuMs),
  scrapes: spread(({ looks }) => looks.scrapes),
  asked: spread(({ looks }) => looks.asked),
  lines: spread(({ looks }) => looks.lines),
};

type WatchedRow = ReturnType<typeof watchedRows>[number];

/** @param turns as many of either, in their order */
export function watchedRows(turns: readonly WatchedTurn[]) {
  const costs = (how: WatchedTurn['how']): readonly number[] =>
    turns.filter((turn) => turn.how === how).map(({ events, cpuMs }) => cpuMs / events);
  const watched = costs('watched');
  // Pairs of turns met the same machine.
  const shares = costs('alone').map((cost, i) => cost / watched[i]!);
  return rowsOf(turns, ['how'], FIGURES).map((row) => ({ ...row, shares }));
}

export const WATCHED_PAGE: Page<WatchedRow> = {
  columns: [
    ['', ({ how }) => how],
    ['per CPU-s', ({ perCpuSecond }) => medianText(perCpuSecond)],
    ['', ({ perCpuSecond }) => rangeText(perCpuSecond)],
    ['per second', ({ perSecond }) => medianText(perSecond)],
    ['s', ({ elapsedMs }) => seconds(elapsedMs.median)],
    ['scrapes', ({ scrapes }) => String(scrapes.median)],
    ['asked', ({ asked }) => String(asked.median)],
    ['lines', ({ lines }) => String(lines.median)],
  ],
  note: [
    'From the moment the backlog can be read until all of it is committed; CPU of supervisor and worker. watched: each partition is probed',
    'once a second (Q5), metrics are scraped once a second, /readyz is asked twice a second, and a dashboard is told what changes (lines).',
  ].join('\n'),
  verdicts: (rows) => ['', shareText(rows[0]?.shares ?? [])],
  charts: (rows) => [
    chart(rows, {
      name: 'per-cpu-second',
      title: 'heartbeats per CPU second; more is better',
      label: ({ how }) => how,
      isOurs: () => true,
      bar: ({ perCpuSecond }) => perCpuSecond,
    }),
  ],
};

function shareText(shares: readonly number[]): string {
  const { median } = spreadOf(shares);
  const within = medianWithin(shares);
  const range = within === undefined ? '' : ` (${within.min.toFixed(3)} – ${within.max.toFixed(3)} with 95 %)`;
  return `watched: ${median.toFixed(3)}${range} of the heartbeats per CPU second, of ${shares.length} pairs of turns; at least ${SHARE_MIN}: ${decided(within, (share) => share >= SHARE_MIN)}`;
}
