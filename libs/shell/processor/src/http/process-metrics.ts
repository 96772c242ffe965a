import { collectDefaultMetrics, type Registry } from '@prometheus-io/client';

/** Against Prometheus' conventions: gauges named like counters, which sum up others, and two named by their type. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
  'nodejs_eventloop_utilization_histogram',
  'nodejs_eventloop_utilization_summary',
];
/** Keeps the two event-loop figures, which are not shown, from being sampled: ten times a second otherwise. */
const NEVER_MS = 2 ** 31 - 1;

/** Adds Node's metrics of the process, under names that `promtool check metrics` takes. */
export function addProcess(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopUtilizationTimeout: NEVER_MS });
  for (const name of MISNAMED) registry.removeSingleMetric(name);
}
