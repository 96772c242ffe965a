// What a measurement at a steady rate says. Pure.
import type { BarChart } from '../report/bar-chart.ts';
import { type Spread, spreadOf, spreadOfKnown } from '../statistics.ts';
import { megabytes, short, spreadText, textTable } from '../text-table.ts';
import type { PacedTurn } from './paced-benchmark.ts';

export interface PacedFigures {
  readonly contender: string;
  readonly sessions: number;
  readonly eventsPerSecond: Spread;
  readonly cpuUsPerEvent: Spread;
  /** Ratio of medians, to the first contender with as many sessions. */
  readonly timesFirst: number;
  /** Undefined where it was not seen in every turn. */
  readonly brokerUsPerEvent: Spread | undefined;
  readonly rssBytes: Spread | undefined;
  /** Most that was left at the end of a turn, in seconds of input. */
  readonly secondsBehind: number;
}

/** Left at the end because a commit takes its time; more is a backlog that grows. */
const SECONDS_BEHIND_MAX = 2;

export function pacedFigures(turns: readonly PacedTurn[], eventsPerSecond: number): readonly PacedFigures[] {
  const first = new Map<number, number>();
  return [...Map.groupBy(turns, ({ contender, sessions }) => `${sessions} ${contender}`).values()].map((each) => {
    const { contender, sessions } = each[0]!;
    const cpuUsPerEvent = spreadOf(each.map(({ cpuMs, events }) => (1_000 * cpuMs) / events));
    if (!first.has(sessions)) first.set(sessions, cpuUsPerEvent.median);
    return {
      contender,
      sessions,
      cpuUsPerEvent,
      timesFirst: cpuUsPerEvent.median / first.get(sessions)!,
      eventsPerSecond: spreadOf(each.map(({ events, elapsedMs }) => (1_000 * events) / elapsedMs)),
      brokerUsPerEvent: spreadOfKnown(
        each.map(({ brokerCpuMs, events }) => (brokerCpuMs === undefined ? undefined : (1_000 * brokerCpuMs) / events)),
      ),
      rssBytes: spreadOfKnown(each.map(({ rssBytes }) => rssBytes)),
      secondsBehind: Math.max(...each.map(({ behind }) => behind)) / eventsPerSecond,
    };
  });
}

export function pacedText(figures: readonly PacedFigures[]): string {
  const head = ['live sessions', 'contender', 'events/s', 'CPU µs/event', '× flatline', 'broker µs/event', 'RSS', ''];
  const rows = figures.map((row) => [
    short(row.sessions),
    row.contender,
    short(row.eventsPerSecond.median),
    spreadText(row.cpuUsPerEvent),
    // A contender that falls behind takes fewer, in larger batches, or lacks CPU: not the same rate.
    fellBehind(row) ? '–' : row.timesFirst.toFixed(2),
    row.brokerUsPerEvent === undefined ? 'n/a' : spreadText(row.brokerUsPerEvent),
    row.rssBytes === undefined ? '–' : megabytes(row.rssBytes.median),
    fellBehind(row) ? `${row.secondsBehind.toFixed(0)} s behind` : '',
  ]);
  return [
    textTable([head, ...rows]),
    '',
    'CPU of the whole process over 30 s, after 15 s of the same to warm up, per event committed in them; medians, least to most in',
    "brackets; RSS: at the end, pages of a store's file included. Who cannot keep up says so.",
  ].join('\n');
}

function fellBehind({ secondsBehind }: PacedFigures): boolean {
  return secondsBehind > SECONDS_BEHIND_MAX;
}

/** A chart for each population, of those that kept up. */
export function pacedCharts(figures: readonly PacedFigures[]): readonly BarChart[] {
  return [...Map.groupBy(figures, ({ sessions }) => sessions)].map(([sessions, rows]) => ({
    name: `${sessions}`,
    title: `CPU µs per event at one rate, ${short(sessions)} sessions; less is better`,
    bars: rows
      .filter((row) => !fellBehind(row))
      .map(({ contender, cpuUsPerEvent }) => ({
        label: contender,
        ...cpuUsPerEvent,
        ours: contender === 'flatline',
      })),
  }));
}
