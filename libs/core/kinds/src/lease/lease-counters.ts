import type { KindCounters } from '../contract.ts';

/** Counters of leases in a task since it was created. */
export interface LeaseCounters extends KindCounters {
  leasesGranted: number;
  leaseRenewals: number;
  /** Starts that wait. */
  leasesQueued: number;
  leaseRequestsRejected: number;
  leasesReleased: number;
  leasesExpiredByTimeout: number;
  leasesExpiredByMaxDuration: number;
  leasesReplaced: number;
  /** By an operator's eviction (Q4). */
  leasesEvicted: number;
  /** Timeouts outside [minTimeoutMs, maxTimeoutMs] that were clamped (L1). */
  clampedTimeouts: number;
}

export function zeroLeaseCounters(): LeaseCounters {
  return {
    leasesGranted: 0,
    leaseRenewals: 0,
    leasesQueued: 0,
    leaseRequestsRejected: 0,
    leasesReleased: 0,
    leasesExpiredByTimeout: 0,
    leasesExpiredByMaxDuration: 0,
    leasesReplaced: 0,
    leasesEvicted: 0,
    clampedTimeouts: 0,
  };
}
