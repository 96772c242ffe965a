// When a lease ends if nothing comes (L1, L2, L6, L7).
import type { Millis } from '@flatline/base';
import type { Reckoning } from '../held-time.ts';
import type { LeaseHead } from './lease-format.ts';
import type { LeaseRules } from './lease-rules.ts';

type Lease = Readonly<Pick<LeaseHead, 'grantedAt' | 'renewedAt' | 'timeoutMs'>>;

/** When a live lease ends. `asOf`: as it is said then (Reckoning). */
export function deadlineOf(lease: Lease, rules: LeaseRules, held: Reckoning, asOf?: Millis): Millis {
  const { bucketMs, maxDurationMs = Infinity } = rules;
  const silence = held.after(lease.renewedAt, lease.timeoutMs, asOf);
  const first = Math.min(silence, held.after(lease.grantedAt, maxDurationMs, asOf));
  return bucketMs === 0 ? first : rounded(first, bucketMs);
}

/** Ties go to the maximum duration, as for sessions (S3). */
export function deadlineReason(lease: Lease, rules: LeaseRules, held: Reckoning): 'TIMEOUT' | 'MAX_DURATION' {
  if (rules.maxDurationMs === undefined) return 'TIMEOUT';
  const silence = held.after(lease.renewedAt, lease.timeoutMs);
  return held.after(lease.grantedAt, rules.maxDurationMs) <= silence ? 'MAX_DURATION' : 'TIMEOUT';
}

/** When the lease, or its lock delay, ends. */
export function ownDueAt(entry: Readonly<LeaseHead>, rules: LeaseRules, held: Reckoning): Millis {
  return entry.delayed ? entry.renewedAt : deadlineOf(entry, rules, held);
}

/** The next end of a bucket, even from an instant that is one: as in ZooKeeper's ExpiryQueue. */
function rounded(instant: Millis, bucketMs: number): Millis {
  return (Math.floor(instant / bucketMs) + 1) * bucketMs;
}
