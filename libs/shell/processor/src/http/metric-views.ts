// Metrics that keep nothing: their values are asked for when they are scraped.
import type { HistogramStatus } from '@flatline/base';
import type { TaskStatus } from '@flatline/runtime';
import { Counter, Gauge, type Metric, type Registry } from '@prometheus-io/client';

const LABELS = ['pipeline', 'partition'] as const;
type Label = (typeof LABELS)[number];

export type Located = Pick<TaskStatus, 'pipeline' | 'partition'>;

export interface Described {
  readonly name: string;
  readonly help: string;
}

/** A value with labels of its own beside those of its task; undefined: it is not there now. */
export interface Reading<T> extends Described {
  readonly of: () => readonly T[];
  readonly read: (one: T) => number | undefined;
}

export function labelsOf({ pipeline, partition }: Located): Record<Label, string> {
  return { pipeline, partition: String(partition) };
}

export function addGauge<T extends Located>(registry: Registry, { name, help, of, read }: Reading<T>): void {
  registry.registerMetric(
    new Gauge({
      name,
      help,
      labelNames: LABELS,
      registers: [],
      collect() {
        this.reset();
        for (const one of of()) {
          const value = read(one);
          if (value !== undefined) this.set(labelsOf(one), value);
        }
      },
    }),
  );
}

/** A task that moves away takes its counts along; Prometheus takes that for a reset, which it is. */
export function addCounter<T extends Located>(registry: Registry, { name, help, of, read }: Reading<T>): void {
  registry.registerMetric(
    new Counter({
      name,
      help,
      labelNames: LABELS,
      registers: [],
      collect() {
        this.reset();
        for (const one of of()) this.inc(labelsOf(one), read(one) ?? 0);
      },
    }),
  );
}

export function addStates(
  registry: Registry,
  { name, help }: Described,
  tasks: () => readonly (Located & { readonly state: string })[],
  states: readonly string[],
): void {
  registry.registerMetric(
    new Gauge({
      name,
      help,
      labelNames: [...LABELS, 'state'],
      registers: [],
      collect() {
        this.reset();
        for (const task of tasks())
          for (const state of states) this.set({ ...labelsOf(task), state }, task.state === state ? 1 : 0);
      },
    }),
  );
}

/** A count by pipeline, as a gauge or a counter. */
export function addOfPipelines(
  registry: Registry,
  { name, help }: Described,
  read: () => readonly (readonly [pipeline: string, value: number])[],
): void {
  const described = { name, help, labelNames: ['pipeline'], registers: [] };
  const metric = name.endsWith('_total')
    ? new Counter({
        ...described,
        collect() {
          this.reset();
          for (const [pipeline, value] of read()) this.inc({ pipeline }, value);
        },
      })
    : new Gauge({
        ...described,
        collect() {
          this.reset();
          for (const [pipeline, value] of read()) this.set({ pipeline }, value);
        },
      });
  registry.registerMetric(metric);
}

export interface HistogramView<T extends Located> extends Described {
  readonly of: () => readonly T[];
  readonly read: (one: T) => HistogramStatus | undefined;
  /** Labels beside those of its place. Default: none. */
  readonly more?: (one: T) => Readonly<Record<string, string>>;
}

/** The client's own histograms count by themselves; ours are counted by the tasks. In seconds. */
export function addHistogram<T extends Located>(
  registry: Registry,
  { name, help, of, read, more = () => ({}) }: HistogramView<T>,
): void {
  const values = (): object[] => of().flatMap((one) => samplesOf(name, { ...labelsOf(one), ...more(one) }, read(one)));
  const view = {
    name,
    get: () => Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: values() }),
  };
  registry.registerMetric(view as unknown as Metric);
}

function samplesOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  status: HistogramStatus | undefined,
): object[] {
  if (status === undefined) return [];
  const { atMost, count, sumMs } = status;
  const bucket = (le: number | '+Inf', value: number): object => ({
    metricName: `${name}_bucket`,
    labels: { le, ...labels },
    value,
  });
  return [
    ...atMost.map(([boundMs, counted]) => bucket(boundMs / 1000, counted)),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, labels, value: sumMs / 1000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
