// The page of a measurement at a steady rate. Pure.
import type { DurationMs } from '@flatline/base';
import type { Steady } from '../beats.ts';
import type { BrokerSpent } from '../broker-cpu.ts';
import { chart, combine, type Page, type Row, rowsOf } from '../frame/page.ts';
import { COMPILING_NOTE } from '../frame/warm-broker.ts';
import { ifKnown, megabytes, medianText, short, spreadText } from '../text-table.ts';

export interface PacedTurn extends BrokerSpent {
  readonly contender: string;
  readonly sessions: number;
  /** Committed. */
  readonly events: number;
  readonly elapsedMs: DurationMs;
  readonly cpuMs: DurationMs;
  readonly rssBytes: number | undefined;
  /** In the log but not committed at the end. */
  readonly behind: number;
}

/** Input that may be left at the end, since a commit takes time; more is a growing backlog. */
const SECONDS_BEHIND_MAX = 2;

const { spread, known, knowns } = combine<PacedTurn>();
const FIGURES = {
  cpuUsPerEvent: spread(({ cpuMs, events }) => (1_000 * cpuMs) / events),
  eventsPerSecond: spread(({ events, elapsedMs }) => (1_000 * events) / elapsedMs),
  brokerUsPerEvent: known(({ brokerCpuMs, events }) =>
    brokerCpuMs === undefined ? undefined : (1_000 * brokerCpuMs) / events,
  ),
  compilingUsPerEvent: known(({ brokerCompilingMs, events }) =>
    brokerCompilingMs === undefined ? undefined : (1_000 * brokerCompilingMs) / events,
  ),
  ...knowns('rssBytes'),
  behind: (turns: readonly PacedTurn[]) => Math.max(...turns.map(({ behind }) => behind)),
};

interface PacedRow extends Omit<Row<PacedTurn, 'contender' | 'sessions', typeof FIGURES>, 'behind'> {
  /** Ratio of medians, to the first contender with as many sessions. */
  readonly timesFirst: number;
  /** Most input left at the end of a turn, in seconds of input. */
  readonly secondsBehind: number;
}

export function pacedRows(turns: readonly PacedTurn[], eventsPerSecond: number): readonly PacedRow[] {
  const rows = rowsOf(turns, ['contender', 'sessions'], FIGURES);
  return rows.map(({ behind, ...row }) => {
    const first = rows.find(({ sessions }) => sessions === row.sessions)!;
    const timesFirst = row.cpuUsPerEvent.median / first.cpuUsPerEvent.median;
    return { ...row, timesFirst, secondsBehind: behind / eventsPerSecond };
  });
}

export function pacedPage({ warmUpMs, measuredMs }: Pick<Steady, 'warmUpMs' | 'measuredMs'>): Page<PacedRow> {
  return {
    columns: [
      ['live sessions', ({ sessions }) => short(sessions)],
      ['contender', ({ contender }) => contender],
      ['events/s', ({ eventsPerSecond }) => medianText(eventsPerSecond)],
      ['CPU µs/event', ({ cpuUsPerEvent }) => spreadText(cpuUsPerEvent)],
      // A contender that falls behind takes fewer, in larger batches, or lacks CPU: not the same rate.
      ['× flatline', (row) => (fellBehind(row) ? '–' : row.timesFirst.toFixed(2))],
      ['broker µs/event', ({ brokerUsPerEvent }) => ifKnown(brokerUsPerEvent, spreadText)],
      ['of it compiling', ({ compilingUsPerEvent }) => ifKnown(compilingUsPerEvent, medianText, '–')],
      ['RSS', ({ rssBytes }) => ifKnown(rssBytes, ({ median }) => megabytes(median), '–')],
      ['', (row) => (fellBehind(row) ? `${row.secondsBehind.toFixed(0)} s behind` : '')],
    ],
    note: [
      `CPU of the whole process over ${measuredMs / 1_000} s, after ${warmUpMs / 1_000} s of the same to warm up, per event committed in`,
      "them; medians, least to most in brackets; RSS: at the end, pages of a store's file included. Who cannot keep up says so.",
      COMPILING_NOTE,
    ].join('\n'),
    /** A chart for each population, of those that kept up. */
    charts: (rows) =>
      [...Map.groupBy(rows, ({ sessions }) => sessions)].map(([sessions, alike]) =>
        chart(
          alike.filter((row) => !fellBehind(row)),
          {
            name: `${sessions}`,
            title: `CPU µs per event at one rate, ${short(sessions)} sessions; less is better`,
            label: ({ contender }) => contender,
            isOurs: ({ contender }) => contender === 'flatline',
            bar: ({ cpuUsPerEvent }) => cpuUsPerEvent,
          },
        ),
      ),
  };
}

function fellBehind({ secondsBehind }: PacedRow): boolean {
  return secondsBehind > SECONDS_BEHIND_MAX;
}
