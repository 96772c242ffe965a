// Metrics of deliveries to webhooks (N3, N4): without endpoints there are no samples.
import type { DeliveryStatus } from '@flatline/notifier';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { labelsOf } from './metric-views.ts';

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
const GAUGED: Readonly<Record<string, readonly [Read, string]>> = {
  flatline_deliveries_under_way: [({ underWay }) => underWay, 'Attempts under way'],
  flatline_deliveries_ready: [({ ready }) => ready, 'Deliveries in memory, to be attempted'],
  flatline_endpoint_breaker: [
    ({ breaker }) => BREAKERS[breaker],
    '0: the endpoint is well; 1: it fails, and is tried now and then; 2: it is disabled (N4)',
  ],
};

/** A partition that moves away, or begins again, takes its counts along: Prometheus takes that for a reset. */
export function addDeliveries(registry: Registry, of: () => readonly DeliveryStatus[]): void {
  const labelNames = ['pipeline', 'partition', 'endpoint'];
  const labelled = (status: DeliveryStatus): Record<string, string> => ({
    ...labelsOf(status),
    endpoint: status.endpoint,
  });
  for (const [name, [read, help]] of Object.entries(COUNTED))
    registry.registerMetric(
      new Counter({
        name,
        help,
        labelNames,
        registers: [],
        collect() {
          this.reset();
          for (const status of of()) this.inc(labelled(status), read(status));
        },
      }),
    );
  for (const [name, [read, help]] of Object.entries(GAUGED))
    registry.registerMetric(
      new Gauge({
        name,
        help,
        labelNames,
        registers: [],
        collect() {
          this.reset();
          for (const status of of()) this.set(labelled(status), read(status));
        },
      }),
    );
}
