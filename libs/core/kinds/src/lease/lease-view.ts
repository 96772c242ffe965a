// A lease as it is shown: who holds it until when, and who waits.
import type { EntryView } from '../entry-view.ts';
import { deadlineOf } from './lease-deadline.ts';
import { leaseFormat } from './lease-format.ts';
import { type Claim, leaseState } from './lease-state.ts';
import type { LeaseWindow } from './lease-window.ts';

export const leaseView: EntryView<LeaseWindow> = {
  format: leaseFormat,
  shown(entry, { held }) {
    const { holder, waiters } = leaseState(entry.state);
    const { token, timeoutMs, grantedAt, renewedAt, renewals, delayed } = entry;
    const waiting = waiters.map(({ claim, ...waiter }) => ({ ...shownClaim(claim), ...waiter }));
    if (delayed) return [{ token, retryAt: renewedAt, waiters: waiting }];
    const deadlineAt = deadlineOf(entry, held);
    const lease = { token, deadlineAt, timeoutMs, grantedAt, renewedAt, renewals };
    return [{ ...lease, ...shownClaim(holder), waiters: waiting }];
  },
};

function shownClaim({ requestId, attributes }: Claim): object {
  return { requestId, attributes };
}
