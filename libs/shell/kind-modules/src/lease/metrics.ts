import type { CounterOf } from '@flatline/kinds';
import type { LeaseCounters } from '@flatline/kinds/lease';
import type { KindMetrics } from '../kind-module.ts';

export const leaseMetrics: KindMetrics<CounterOf<LeaseCounters>> = {
  counted: {
    flatline_leases_granted_total: ['leasesGranted', 'Leases granted (L1)'],
    flatline_leases_queued_total: ['leasesQueued', 'Starts that were queued (L4)'],
    flatline_lease_renewals_total: ['leaseRenewals', 'Renewals with the live token'],
    flatline_lease_rejections_total: ['leaseRequestsRejected', 'Requests for leases that were rejected'],
  },
  endings: {
    RELEASED: 'leasesReleased',
    TIMEOUT: 'leasesExpiredByTimeout',
    MAX_DURATION: 'leasesExpiredByMaxDuration',
    REPLACED: 'leasesReplaced',
    EVICTED: 'leasesEvicted',
  },
  ended: { name: 'flatline_leases_ended_total', help: 'Leases that have ended, by reason (L1)' },
};
