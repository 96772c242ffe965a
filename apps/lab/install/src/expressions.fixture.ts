// Compares an expression's use of the processor's metrics with what they are. No parser of PromQL: `promtool` is one,
// and this looks at names, selectors and lists of labels alone.
import { metricRows } from '@flatline/processor/metric-rows';

const METRICS = new Map(metricRows().map((row) => [row.name, row]));
/** Prometheus adds the first two, a supervisor the third, the operator the others. */
const ADDED = ['job', 'instance', 'worker', 'namespace', 'service', 'pod'];
const METRIC = /\b(?:flatline|process|nodejs)_\w+/g;

function labelsOf(name: string): readonly string[] {
  return [...(METRICS.get(name)?.labels ?? []), ...ADDED];
}

/** Name without the end that it has as a series of a histogram. */
function metricOf(series: string): string {
  return METRICS.has(series) ? series : series.replace(/_(bucket|sum|count)$/, '');
}

/** Lists its faults, in words. */
export function misunderstood(expression: string): readonly string[] {
  const series = [...new Set(expression.match(METRIC))];
  return series.flatMap((one) => {
    const name = metricOf(one);
    const type = METRICS.get(name)?.type;
    if (type === undefined) return [`there is no ${name}`];
    if ((type === 'histogram') !== (name !== one)) return [`${one} is a ${type}`];
    const isCounted = new RegExp(`\\b(?:rate|increase)\\(${one}\\b`).test(expression);
    if (isCounted && type === 'gauge') return [`${name} is a gauge`];
    const asked = [...selected(expression, one), ...grouped(expression).filter((label) => label !== 'le')];
    return asked.filter((label) => !labelsOf(name).includes(label)).map((label) => `${name} has no label ${label}`);
  });
}

/** Labels in the selectors of a series. */
function selected(expression: string, series: string): readonly string[] {
  return [...expression.matchAll(new RegExp(`\\b${series}\\{([^}]*)\\}`, 'g'))].flatMap(([, selector = '']) =>
    [...selector.matchAll(/(\w+) *[=!]/g)].map(([, label = '']) => label),
  );
}

/** Labels that it groups or joins by. */
function grouped(expression: string): readonly string[] {
  return [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(/, */));
}

/** Labels of what it gives. */
export function labelsLeft(expression: string): readonly string[] {
  const by = grouped(expression);
  if (by.length > 0) return by;
  return (expression.match(METRIC) ?? []).flatMap((series) => labelsOf(metricOf(series)));
}
