export { largestLeaseEvent } from './largest-lease.ts';
export type { LeaseCounters } from './lease-counters.ts';
export { leaseKind, type LeaseOptions } from './lease-kind.ts';
export { leaseView } from './lease-view.ts';
export type { LeaseRules, OnConflict } from './lease-rules.ts';
export { TOKEN_EPOCH_MAX } from './lease-token.ts';
export { leaseSaid } from './lease-said.ts';
