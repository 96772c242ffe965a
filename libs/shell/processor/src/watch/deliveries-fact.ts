// An instance's deliveries of a pipeline, by endpoint: added up over its partitions.
import type { DeliveryStatus } from '@flatline/notifier';

/** The worst of a partition's breakers is the endpoint's. */
const WORSE: readonly DeliveryStatus['breaker'][] = ['closed', 'open', 'disabled'];

export function deliveriesFact(statuses: readonly DeliveryStatus[]): readonly object[] {
  return [...Map.groupBy(statuses, ({ endpoint }) => endpoint)].map(([endpoint, parts]) => {
    const sum = (of: (status: DeliveryStatus) => number): number => parts.reduce((total, each) => total + of(each), 0);
    return {
      endpoint,
      breaker: WORSE.findLast((breaker) => parts.some((each) => each.breaker === breaker)),
      delivered: sum(({ counters }) => counters.delivered),
      attemptsFailed: sum(({ counters }) => counters.attemptsFailed),
      givenUp: sum(({ counters }) => counters.givenUp),
      parked: sum(({ counters }) => counters.parked),
      underWay: sum(({ underWay }) => underWay),
      ready: sum(({ ready }) => ready),
    };
  });
}
