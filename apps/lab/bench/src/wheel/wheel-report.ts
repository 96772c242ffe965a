import type { BarChart } from '../report/bar-chart.ts';
import { type Cost } from './measurement.ts';

export interface WheelRow extends Cost {
  readonly contender: string;
  readonly timers: number;
  /** Each figure over that of the wheel at the same size, in the same run. */
  readonly timesWheel: Cost;
}

export interface WheelTarget {
  readonly what: string;
  readonly atMost: number;
  readonly measured: number;
  readonly met: boolean;
}

export interface WheelReport {
  readonly node: string;
  readonly cpu: string;
  readonly rounds: number;
  /** What each contender's figures mean. */
  readonly notes: Readonly<Record<string, string>>;
  readonly rows: readonly WheelRow[];
  /** The targets that the sizes measured can decide. */
  readonly targets: readonly WheelTarget[];
}

/** The report as lines of text, the costs with their multiple of the wheel's. */
export function formatWheelReport(report: WheelReport): string {
  const head = ['timers', 'contender', 'insert ns', 're-arm ns', 'earlier ns', 'fire ns', 'bytes/timer'];
  const rows = report.rows.map((row) => [
    row.timers.toLocaleString('en'),
    row.contender,
    cell(row.insertNs, row.timesWheel.insertNs),
    cell(row.rearmNs, row.timesWheel.rearmNs),
    cell(row.rearmEarlierNs, row.timesWheel.rearmEarlierNs),
    cell(row.fireNs, row.timesWheel.fireNs),
    cell(row.bytesPerTimer, row.timesWheel.bytesPerTimer),
  ]);
  const notes = Object.entries(report.notes).map(([name, note]) => `${name}: ${note}`);
  const targets = report.targets.map(
    ({ what, atMost, measured, met }) =>
      `${met ? 'met   ' : 'missed'}  ${what}: ${short(measured)} (at most ${short(atMost)})`,
  );
  const title = `${report.cpu}, Node ${report.node}, CPU time, median of ${report.rounds} up to a million timers; in brackets: times the wheel's`;
  return [title, '', ...columns([head, ...rows]), '', ...notes, '', ...targets].join('\n');
}

/** What a heartbeat costs, and what an expiry does, at each size. */
export function wheelCharts({ rows }: WheelReport): readonly BarChart[] {
  const sizes = [...new Set(rows.map(({ timers }) => timers))];
  return sizes.flatMap((timers) => {
    const at = rows.filter((row) => row.timers === timers);
    const chart = (name: string, what: string, of: (row: WheelRow) => number): BarChart => ({
      name: `${name}-${timers}`,
      title: `${what}, CPU ns each at ${timers.toLocaleString('en')} timers; less is better`,
      bars: at.map((row) => ({ label: row.contender, median: of(row), min: of(row), max: of(row) })),
    });
    return [chart('rearm', 're-arming', ({ rearmNs }) => rearmNs), chart('fire', 'firing', ({ fireNs }) => fireNs)];
  });
}

function cell(value: number, times: number): string {
  return `${short(value)} (${times.toFixed(1)})`;
}

function short(value: number): string {
  return value < 100 ? value.toFixed(1) : value.toFixed(0);
}

function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((text, column) => (column === 1 ? text.padEnd(widths[column]!) : text.padStart(widths[column]!)))
      .join('  '),
  );
}
