// Windows of statistics that are over, as `GET /api/v1/stats/PIPELINE` has them.
import { duration, moment, number } from './words.ts';

export interface Cell {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly opened: number;
  readonly closed: number;
  readonly active: number;
  readonly byReason: Readonly<Record<string, number>>;
  readonly duration: {
    readonly count: number;
    readonly p50: number | null;
    readonly p90: number | null;
    readonly p99: number | null;
    readonly max: number | null;
  };
}

export interface StatsWindow {
  readonly windowStart: number;
  readonly windowEnd: number;
  readonly partitions: readonly number[];
  readonly opened: number;
  readonly closed: number;
  readonly active: number;
  readonly cells: readonly Cell[];
  readonly truncated: boolean;
}

/** `noun`: one entry. */
export function windowFinding(window: StatsWindow, noun: string): string {
  const { windowStart, windowEnd, opened, closed, active } = window;
  const within = duration(windowEnd - windowStart);
  return `In the ${within} up to ${moment(windowEnd)} ${number(opened)} ${noun}s opened and ${number(closed)} closed; ${number(active)} were open at its end`;
}

export const CELL_FIGURES = ['Opened', 'Closed', 'Active', 'Half last', '99 of 100 last', 'Longest'];
export const CELL_HEADS = ['Dimensions', ...CELL_FIGURES, 'By reason'];

/** Most closed first. */
export function cellRows(cells: readonly Cell[]): readonly (readonly string[])[] {
  const within = (ms: number | null): string => (ms === null ? '–' : duration(ms));
  return [...cells]
    .sort((a, b) => b.closed - a.closed)
    .map(({ dimensions, opened, closed, active, byReason, duration: lasted }) => [
      Object.entries(dimensions)
        .map(([name, value]) => `${name} ${value}`)
        .join(', ') || 'all',
      ...[opened, closed, active].map(number),
      ...[lasted.p50, lasted.p99, lasted.max].map(within),
      Object.entries(byReason)
        .filter(([, count]) => count > 0)
        .map(([reason, count]) => `${reason} ${number(count)}`)
        .join(', ') || '–',
    ]);
}
