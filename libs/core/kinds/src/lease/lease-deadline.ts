// When a lease ends if nothing comes (L1, L2, L6, L7): all of it stands in its entry, for its holder counts on what it was told (L8).
import type { Millis } from '@flatline/base';
import { bucketEnd } from '../bucketed.ts';
import type { Reckoning } from '../held-time.ts';
import type { LeaseHead } from './lease-format.ts';

type Lease = Readonly<Pick<LeaseHead, 'grantedAt' | 'renewedAt' | 'timeoutMs' | 'maxDurationMs' | 'bucketMs'>>;

/** When a live lease ends. `asOf`: as it is said then (Reckoning). */
export function deadlineOf(lease: Lease, held: Reckoning, asOf?: Millis): Millis {
  const { bucketMs } = lease;
  const silence = held.after(lease.renewedAt, lease.timeoutMs, asOf);
  const first = Math.min(silence, longestOf(lease, held, asOf));
  return bucketMs === 0 ? first : bucketEnd(first, bucketMs);
}

/** When it ends however often it is renewed; Infinity: never. */
export function longestOf(lease: Lease, held: Reckoning, asOf?: Millis): Millis {
  return lease.maxDurationMs === 0 ? Infinity : held.after(lease.grantedAt, lease.maxDurationMs, asOf);
}

/** Ties go to the maximum duration, as for sessions (S3). */
export function deadlineReason(lease: Lease, held: Reckoning): 'TIMEOUT' | 'MAX_DURATION' {
  return longestOf(lease, held) <= held.after(lease.renewedAt, lease.timeoutMs) ? 'MAX_DURATION' : 'TIMEOUT';
}

/** When the lease, or its lock delay, ends. */
export function ownDueAt(entry: Readonly<LeaseHead>, held: Reckoning): Millis {
  return entry.delayed ? entry.renewedAt : deadlineOf(entry, held);
}
