// Leading for as long as a lease is held, and asking for it again, until a signal ends it.
import type { Clock, DurationMs } from '@flatline/base';
import { pause } from '@flatline/system';
import { LeaseNotGot } from './lease-not-got.ts';
import type { Lease, LeaseWish } from './lease.ts';

/** A lease that was held is over. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
  readonly leaseId: string;
  /** As of `Lease.over`: `TIMEOUT`, `MAX_DURATION`, `REPLACED`, `RESUMED`, … */
  readonly reason: string;

  constructor(leaseId: string, reason: string) {
    super(`the lease ${leaseId} is over: ${reason}`);
    this.leaseId = leaseId;
    this.reason = reason;
  }
}

export interface Leadership {
  /** To be sent along with every write to what is protected, which refuses those with a lower one. */
  readonly token: number;
  /** Aborted with `LeaseLost` once the lease is over, or as the signal of the call is: then lead no more, and return. */
  readonly signal: AbortSignal;
  readonly lease: Lease;
}

export interface LeaderOptions extends LeaseWish {
  /** Ends it: the lease is given back once `lead` has returned. Default: closing the leases ends it. */
  readonly signal?: AbortSignal;
  /** Told each time that the lease was asked for and not got; it is asked for again. Default: none. */
  readonly onNotGot?: (error: LeaseNotGot) => void;
}

export interface LeadershipParts {
  readonly clock: Clock;
  readonly acquire: (id: string, wish: LeaseWish) => Promise<Lease>;
  /** Aborted when the leases close. */
  readonly ending: AbortSignal;
}

/** Before it is asked for again after a refusal, or after `lead` has returned while it led. */
const ASK_AGAIN_MS: DurationMs = 1_000;
/** Refusals that asking again does not mend. */
const FOR_GOOD: readonly string[] = ['TOO_SHORT', 'TOO_LARGE', 'NO_APPEND_TIME'];

/** Resolves once a signal has ended it. @throws what `lead` throws while it leads, and what no further asking mends */
export async function leadWhileHeld(
  id: string,
  lead: (leadership: Leadership) => unknown,
  { signal: ending, onNotGot, ...wish }: LeaderOptions,
  { clock, acquire, ending: closing }: LeadershipParts,
): Promise<void> {
  const signal = AbortSignal.any([closing, ...(ending === undefined ? [] : [ending])]);
  while (!signal.aborted) {
    const lease = await got(() => acquire(id, { ...wish, signal }), signal, onNotGot);
    const isLost = lease !== undefined && (await ledBy(lease, id, lead, signal));
    if (!isLost) await pause(clock, ASK_AGAIN_MS, signal);
  }
}

async function got(
  acquire: () => Promise<Lease>,
  signal: AbortSignal,
  onNotGot: LeaderOptions['onNotGot'],
): Promise<Lease | undefined> {
  try {
    return await acquire();
  } catch (error) {
    if (signal.aborted) return undefined;
    if (!(error instanceof LeaseNotGot) || FOR_GOOD.includes(error.reason)) throw error;
    onNotGot?.(error);
    return undefined;
  }
}

/** Calls `lead` while the lease is held; true if it was lost. */
async function ledBy(
  lease: Lease,
  id: string,
  lead: (leadership: Leadership) => unknown,
  signal: AbortSignal,
): Promise<boolean> {
  // Aborted since the grant: a `lead` that only listens for the abort would never return.
  if (signal.aborted) {
    lease.release();
    return false;
  }
  const losing = new AbortController();
  let isReturned = false;
  void lease.over.then((reason) => {
    if (!isReturned) losing.abort(new LeaseLost(id, reason));
  });
  const leading = AbortSignal.any([losing.signal, signal]);
  try {
    await lead({ token: lease.token, signal: leading, lease });
  } catch (error) {
    // A `lead` that throws once the lease is over has done as it was told.
    if (!leading.aborted) throw error;
  } finally {
    isReturned = true;
    lease.release();
  }
  return losing.signal.aborted;
}
