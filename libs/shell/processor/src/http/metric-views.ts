// Metrics that keep nothing: their values are asked for when they are scraped.
import type { HistogramStatus } from '@flatline/base';
import type { TaskStatus } from '@flatline/runtime';
import { Counter, Gauge, type Metric, type Registry } from '@prometheus-io/client';
import { type Counts, LastingSums } from './lasting-sums.ts';

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

/** By partition. A task that moves away takes its count along; Prometheus takes that for a reset, which it is. */
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

/** Parts of one pipeline whose counts are summed up, and labels of the sum beside that of the pipeline. */
export interface Summands<T> {
  readonly pipeline: string;
  readonly more?: Readonly<Record<string, string>>;
  readonly parts: readonly T[];
}

export interface Summed<T extends Located> extends Described {
  /** A sum for each of these, from its first reading on. */
  readonly of: () => readonly Summands<T>[];
  readonly read: (one: T) => number | undefined;
  /** Names of labels beside that of the pipeline. Default: none. */
  readonly labels?: readonly string[];
}

/** Counts of a pipeline's tasks as one sum, which goes on where tasks move away. */
export function addSummed<T extends Located>(
  registry: Registry,
  { name, help, of, read, labels = [] }: Summed<T>,
): void {
  const sums = new LastingSums();
  registry.registerMetric(
    new Counter({
      name,
      help,
      labelNames: ['pipeline', ...labels],
      registers: [],
      collect() {
        this.reset();
        for (const { labels: own, counts = [0] } of summed(sums, of(), (one) => counted(read(one))))
          this.inc(own, counts[0]);
      },
    }),
  );
}

function counted(value: number | undefined): Counts | undefined {
  return value === undefined ? undefined : [value];
}

interface Sum {
  readonly labels: Record<string, string>;
  readonly counts: Counts | undefined;
}

function summed<T extends Located>(
  sums: LastingSums,
  groups: readonly Summands<T>[],
  countsOf: (one: T) => Counts | undefined,
): Sum[] {
  return groups.map(({ pipeline, more = {}, parts }) => {
    const labels = { pipeline, ...more };
    const readings = parts.map((one) => [one.partition, countsOf(one)] as const);
    return { labels, counts: sums.take(Object.values(labels).join('\n'), readings) };
  });
}

export interface SummedHistogram<T extends Located> extends Omit<Summed<T>, 'read'> {
  readonly read: (one: T) => HistogramStatus | undefined;
}

/** The client's own histograms count by themselves; ours are counted by the tasks, and summed up by pipeline. In seconds. */
export function addHistogram<T extends Located>(registry: Registry, view: SummedHistogram<T>): void {
  const { name, help, of, read, labels = [] } = view;
  const sums = new LastingSums();
  let boundsMs: readonly number[] = [];
  const countsOf = (one: T): Counts | undefined => {
    const status = read(one);
    if (status === undefined) return undefined;
    boundsMs = status.atMost.map(([boundMs]) => boundMs);
    return [...status.atMost.map(([, count]) => count), status.count, status.sumMs];
  };
  const values = (): object[] =>
    summed(sums, of(), countsOf).flatMap(({ labels: own, counts }) =>
      counts === undefined ? [] : samplesOf(name, own, counts, boundsMs),
    );
  const shown = {
    name,
    help,
    type: 'histogram',
    labelNames: ['pipeline', ...labels],
    get: () => Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values: values() }),
  };
  registry.registerMetric(shown as unknown as Metric);
}

function samplesOf(
  name: string,
  labels: Readonly<Record<string, string>>,
  counts: Counts,
  boundsMs: readonly number[],
): object[] {
  const [count = 0, sumMs = 0] = counts.slice(boundsMs.length);
  const bucket = (le: number | '+Inf', value: number): object => ({
    metricName: `${name}_bucket`,
    labels: { le, ...labels },
    value,
  });
  return [
    ...boundsMs.map((boundMs, i) => bucket(boundMs / 1000, counts[i]!)),
    bucket('+Inf', count),
    { metricName: `${name}_sum`, labels, value: sumMs / 1000 },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
