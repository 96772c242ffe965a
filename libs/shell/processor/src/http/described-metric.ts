import type { Registry } from '@prometheus-io/client';

/** A metric as its page, boards and alerts may know it. */
export interface DescribedMetric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** Labels of its own; Prometheus adds `job` and `instance`, a supervisor `worker`. */
  readonly labels: readonly string[];
}

/** The client keeps them, and does not say so in its types. */
interface Kept extends Omit<DescribedMetric, 'labels'> {
  readonly labelNames: readonly string[];
}

export function describedIn(registry: Registry): readonly DescribedMetric[] {
  return (registry.getMetricsAsArray() as unknown as readonly Kept[]).map(({ name, help, type, labelNames }) => {
    return { name, help, type, labels: labelNames };
  });
}
