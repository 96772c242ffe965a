import type { FoldCounts } from '../rules/input-fold.ts';

/** Counts of events that happened in a history (V12): a trial whose fault did not happen is invalid, not green. */
export interface Reach extends FoldCounts {
  /** Closes by reason; for other kinds, last words by cause. */
  timeouts: number;
  ends: number;
  maxDurations: number;
  evictions: number;
  /** Records that routes brought about. */
  routed: number;
  /** Deliveries to webhooks that were kept, and that were given up (N3). */
  deliveriesKept: number;
  deliveriesGivenUp: number;
  /** Records below the origin. */
  recordsBeforeOrigin: number;
  /** Claims of a partition: starts, takeovers, and recoveries of a commit whose outcome was unknown. */
  claims: number;
  /** Different owners of the commits, by partition. */
  owners: number;
  /** Producer ids and epochs that wrote. */
  producers: number;
  abortedTransactions: number;
  /** Logs, of changelog and input, that no longer begin at their first offset. */
  truncations: number;
}

export type ReachCounter = keyof Reach;

export function blankReach(): Reach {
  return {
    opened: 0,
    timeouts: 0,
    ends: 0,
    maxDurations: 0,
    evictions: 0,
    duplicates: 0,
    badRecords: 0,
    clockRecords: 0,
    formerTypeRecords: 0,
    routed: 0,
    deliveriesKept: 0,
    deliveriesGivenUp: 0,
    recordsBeforeOrigin: 0,
    claims: 0,
    owners: 0,
    producers: 0,
    abortedTransactions: 0,
    truncations: 0,
  };
}

export const REACH_COUNTERS = Object.keys(blankReach()) as readonly ReachCounter[];
