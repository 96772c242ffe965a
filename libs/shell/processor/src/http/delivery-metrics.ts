// Metrics of deliveries to webhooks (N3, N4): without endpoints there are no samples.
import type { DeliveryStatus } from '@flatline/notifier';
import { Gauge, type Registry } from '@prometheus-io/client';
import { addSummed, type Summands } from './metric-views.ts';

type Read = (status: DeliveryStatus) => number;

const COUNTED: Readonly<Record<string, readonly [Read, string]>> = {
  flatline_deliveries_total: [({ counters }) => counters.delivered, 'Deliveries that their endpoint has taken (N2)'],
  flatline_delivery_attempts_failed_total: [({ counters }) => counters.attemptsFailed, 'Attempts that failed (N2)'],
  flatline_deliveries_given_up_total: [({ counters }) => counters.givenUp, 'Deliveries that were given up (N2)'],
  flatline_deliveries_parked_total: [
    ({ counters }) => counters.parked,
    'Deliveries that found no room, or an open breaker, and wait in the log (N4)',
  ],
  flatline_deliveries_superseded_total: [
    ({ counters }) => counters.superseded,
    'Deliveries whose place a newer one of their key took (N4)',
  ],
};

const BREAKERS: Readonly<Record<DeliveryStatus['breaker'], number>> = { closed: 0, open: 1, disabled: 2 };
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const GAUGED: Readonly<Record<string, readonly [Read, (values: readonly number[]) => number, string]>> = {
  flatline_deliveries_under_way: [({ underWay }) => underWay, sum, 'Attempts under way'],
  flatline_deliveries_ready: [({ ready }) => ready, sum, 'Deliveries in memory, to be attempted'],
  flatline_endpoint_breaker: [
    ({ breaker }) => BREAKERS[breaker],
    (values) => Math.max(...values),
    '0: the endpoint is well; 1: it fails, and is tried now and then; 2: it is disabled (N4)',
  ],
};

/** By pipeline and endpoint, over all partitions. Each has a breaker of its own: the worst one is shown. */
export function addDeliveries(registry: Registry, of: () => readonly DeliveryStatus[]): void {
  const labels = ['endpoint'];
  const groups = (): Summands<DeliveryStatus>[] => {
    const found = new Map<string, Summands<DeliveryStatus> & { readonly parts: DeliveryStatus[] }>();
    for (const status of of()) {
      const { pipeline, endpoint } = status;
      const key = `${pipeline}\n${endpoint}`;
      const group = found.get(key) ?? { pipeline, more: { endpoint }, parts: [] };
      group.parts.push(status);
      found.set(key, group);
    }
    return [...found.values()];
  };
  for (const [name, [read, help]] of Object.entries(COUNTED))
    addSummed(registry, { name, help, labels, of: groups, read });
  for (const [name, [read, together, help]] of Object.entries(GAUGED))
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames: ['pipeline', ...labels],
        registers: [],
        collect() {
          this.reset();
          for (const { pipeline, more, parts } of groups()) this.set({ pipeline, ...more }, together(parts.map(read)));
        },
      }),
    );
}
