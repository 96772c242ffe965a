// What a measurement of the wheel says, and whether it keeps what the project promises. Pure.
import type { BarChart } from '../report/bar-chart.ts';
import { contenders } from './contenders.ts';
import type { Cost } from './measurement.ts';

export interface WheelRow extends Cost {
  readonly contender: string;
  readonly timers: number;
  /** Each figure over that of the wheel at the same size, in the same run. */
  readonly timesWheel: Cost;
}

interface WheelTarget {
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

const INSERT_NS_MAX = 30;
const REARM_NS_MAX = 100;
const BYTES_PER_TIMER_MAX = 24;
const INSERT_GROWTH_MAX = 3;
const SMALL = 10_000;
const LARGE = 10_000_000;
const COLUMNS: readonly (readonly [figure: keyof Cost, head: string])[] = [
  ['insertNs', 'insert ns'],
  ['rearmNs', 're-arm ns'],
  ['rearmEarlierNs', 'earlier ns'],
  ['fireNs', 'fire ns'],
  ['bytesPerTimer', 'bytes/timer'],
];

/** What the project promises of the wheel, as far as the sizes measured tell. */
export function judge(rows: readonly WheelRow[]): readonly WheelTarget[] {
  const wheelAt = (timers: number): WheelRow | undefined =>
    rows.find((row) => row.timers === timers && row.contender === contenders[0]!.name);
  const [small, large] = [wheelAt(SMALL), wheelAt(LARGE)];
  if (large === undefined) return [];
  const target = (what: string, atMost: number, measured: number): WheelTarget => {
    return { what, atMost, measured, met: measured <= atMost };
  };
  const targets = [
    target('insert at 10 M, ns', INSERT_NS_MAX, large.insertNs),
    target('re-arm later at 10 M, ns', REARM_NS_MAX, large.rearmNs),
    target('bytes per timer at 10 M', BYTES_PER_TIMER_MAX, large.bytesPerTimer),
  ];
  if (small === undefined) return targets;
  return [...targets, target('insert at 10 M over insert at 10 k', INSERT_GROWTH_MAX, large.insertNs / small.insertNs)];
}

/** The report as lines of text, the costs with their multiple of the wheel's. */
export function wheelText({ cpu, node, rounds, ...report }: WheelReport): string {
  const rows = report.rows.map(({ timers, contender, timesWheel, ...cost }) => [
    timers.toLocaleString('en'),
    contender,
    ...COLUMNS.map(([figure]) => `${short(cost[figure])} (${timesWheel[figure].toFixed(1)})`),
  ]);
  const notes = Object.entries(report.notes).map(([name, note]) => `${name}: ${note}`);
  const targets = report.targets.map(
    ({ what, atMost, measured, met }) =>
      `${met ? 'met   ' : 'missed'}  ${what}: ${short(measured)} (at most ${short(atMost)})`,
  );
  const title = `${cpu}, Node ${node}, CPU time, median of ${rounds} up to a million timers; in brackets: times the wheel's`;
  const head = ['timers', 'contender', ...COLUMNS.map(([, text]) => text)];
  return [title, '', ...lines([head, ...rows]), '', ...notes, '', ...targets].join('\n');
}

/** What a heartbeat costs, and what an expiry does, at each size. */
export function wheelCharts({ rows }: WheelReport): readonly BarChart[] {
  return [...Map.groupBy(rows, ({ timers }) => timers)].flatMap(([timers, alike]) => {
    const drawn = (name: string, what: string, of: (row: WheelRow) => number): BarChart => ({
      name: `${name}-${timers}`,
      title: `${what}, CPU ns each at ${timers.toLocaleString('en')} timers; less is better`,
      bars: alike.map((row) => ({ label: row.contender, median: of(row), min: of(row), max: of(row) })),
    });
    return [drawn('rearm', 're-arming', ({ rearmNs }) => rearmNs), drawn('fire', 'firing', ({ fireNs }) => fireNs)];
  });
}

function short(value: number): string {
  return value < 100 ? value.toFixed(1) : value.toFixed(0);
}

/** Names to the left, figures to the right. */
function lines(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row.map((text, at) => (at === 1 ? text.padEnd(widths[at]!) : text.padStart(widths[at]!))).join('  '),
  );
}
