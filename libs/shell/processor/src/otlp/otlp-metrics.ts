// Metrics as OTLP writes them in JSON (opentelemetry-proto 1.x, metrics.proto; its JSON has numbers of 64 bits as text).
//
// Names and labels stay what Prometheus has, so that boards and alerts are the same wherever the samples end up.
import type { Millis } from '@flatline/base';

/** A metric of a registry, and each of its samples: `metricName` where it is a part of a histogram. */
export interface MetricSamples {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly values: readonly Sample[];
}

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number | undefined>>;
  readonly metricName?: string | undefined;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue: string };
}

export interface OtlpSource {
  /** Names the process, as attributes of the resource: `service.name` and the like. */
  readonly resource: Readonly<Record<string, string>>;
  readonly version: string;
  readonly startedAt: Millis;
  readonly now: Millis;
}

/** AggregationTemporality: counts go on from `startedAt`. */
const CUMULATIVE = 2;

/** The body of an ExportMetricsServiceRequest. */
export function otlpRequest(metrics: readonly MetricSamples[], source: OtlpSource): object {
  const scope = { name: 'flatline', version: source.version };
  const written = metrics.filter(({ values }) => values.length > 0).map((metric) => otlpMetric(metric, source));
  const resource = { attributes: attributesOf(source.resource) };
  return { resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics: written }] }] };
}

function otlpMetric({ name, help, type, values }: MetricSamples, source: OtlpSource): object {
  const about = { name, description: help, unit: unitOf(name) };
  const times = { startTimeUnixNano: nanos(source.startedAt), timeUnixNano: nanos(source.now) };
  if (type === 'histogram')
    return { ...about, histogram: { aggregationTemporality: CUMULATIVE, dataPoints: histograms(name, values, times) } };
  const dataPoints = values.map(({ value, labels }) => ({
    ...times,
    attributes: attributesOf(labels),
    asDouble: value,
  }));
  if (type === 'counter')
    return { ...about, sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } };
  return { ...about, gauge: { dataPoints } };
}

/** Units by UCUM, as OTLP wants them. */
function unitOf(name: string): string {
  if (name.endsWith('_seconds') || name.endsWith('_seconds_total')) return 's';
  return name.endsWith('_bytes') ? 'By' : '1';
}

/** Prometheus counts what is at most a bound; OTLP what lies between two. */
function histograms(name: string, values: readonly Sample[], times: object): object[] {
  const points = new Map<string, { labels: Sample['labels']; buckets: Sample[]; sum: number; count: number }>();
  for (const sample of values) {
    const labels = Object.fromEntries(Object.entries(sample.labels).filter(([name]) => name !== 'le'));
    const key = JSON.stringify(Object.entries(labels).toSorted());
    const point = points.get(key) ?? { labels, buckets: [], sum: 0, count: 0 };
    points.set(key, point);
    if (sample.metricName === `${name}_sum`) point.sum = sample.value;
    else if (sample.metricName === `${name}_count`) point.count = sample.value;
    else point.buckets.push(sample);
  }
  return [...points.values()].map(({ labels, buckets, sum, count }) => ({
    ...times,
    attributes: attributesOf(labels),
    count: String(count),
    sum,
    bucketCounts: buckets.map(({ value }, i) => String(value - (buckets[i - 1]?.value ?? 0))),
    explicitBounds: buckets.map(({ labels: { le } }) => Number(le)).filter((bound) => Number.isFinite(bound)),
  }));
}

function attributesOf(labels: Sample['labels']): Attribute[] {
  return Object.entries(labels)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ({ key, value: { stringValue: String(value) } }));
}

/** Beyond what a number holds exactly. */
function nanos(at: Millis): string {
  return `${Math.floor(at)}000000`;
}
