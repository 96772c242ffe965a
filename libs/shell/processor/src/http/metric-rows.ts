// All metrics as rows of docs/METRICS.md, and for tests that compare expressions with them.
import type { DescribedMetric } from './described-metric.ts';
import { metricsOf } from './metrics.ts';
import type { Observed } from './observed.ts';
import { SupervisorMetrics } from './supervisor-metrics.ts';

export interface MetricRow extends DescribedMetric {
  /** By the end of its name; empty: a number of what the name says. */
  readonly unit: 'seconds' | 'seconds since the epoch' | 'bytes' | 'share of 1' | 'records' | '';
}

const UNITS: readonly (readonly [end: RegExp, unit: MetricRow['unit']])[] = [
  [/_timestamp_seconds$|_start_time_seconds$/, 'seconds since the epoch'],
  [/_seconds(_sum|_total)?$/, 'seconds'],
  [/_bytes$/, 'bytes'],
  [/_ratio$/, 'share of 1'],
  [/_records(_read)?(_total)?$/, 'records'],
];

/** A processor that has nothing. */
const NOTHING: Observed = {
  version: '',
  application: '',
  instance: '',
  wallNow: 0,
  hasStarted: true,
  isStopping: false,
  lookUpFill: 0,
  endpoint: '',
  pipelines: () => [],
  deliveries: () => [],
  restart: () => 'absent',
  lookUp: () => Promise.resolve(undefined),
  act: () => Promise.resolve(undefined),
  page: () => Promise.resolve(undefined),
};

/** Metrics of Flatline first, each group by name. */
export function metricRows(): readonly MetricRow[] {
  const all = [...metricsOf(NOTHING).described(), ...new SupervisorMetrics(() => []).described()];
  const isOwn = ({ name }: DescribedMetric): boolean => name.startsWith('flatline_');
  return all
    .map((metric) => ({ ...metric, unit: UNITS.find(([end]) => end.test(metric.name))?.[1] ?? ('' as const) }))
    .toSorted((a, b) => Number(isOwn(b)) - Number(isOwn(a)) || (a.name < b.name ? -1 : 1));
}

/** The table of docs/METRICS.md. */
export function metricTable(): string {
  const code = (text: string): string => `\`${text}\``;
  const rows = metricRows().map(
    ({ name, type, unit, labels, help }) =>
      `| ${code(name)} | ${type} | ${unit} | ${labels.map(code).join(', ')} | ${help} |`,
  );
  return ['| metric | type | unit | labels | what it says |', '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
