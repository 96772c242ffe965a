import type { DurationMs, Millis } from '@flatline/base';
import type { StoreDistrust, StoreDrop } from '@flatline/ports';

/** Stores dropped as damaged within the window before the instance calls itself unready: a disk that rots, or a defect. */
export const DAMAGED_STORES_MAX = 3;
const WINDOW_MS: DurationMs = 60 * 60_000;

/**
 * Reasons that point to a fault of the disk or of ours. The others are to be expected of all partitions at once: after a power failure,
 * after long absence, after an upgrade, after a reset.
 */
const DAMAGE: readonly StoreDistrust[] = ['checksum', 'unreadable', 'other-log'];

/** Drops of the last hour that should not be. */
export function recentDamage(drops: readonly StoreDrop[], wallNow: Millis): readonly StoreDrop[] {
  return drops.filter(({ at, reason }) => at > wallNow - WINDOW_MS && at <= wallNow && DAMAGE.includes(reason));
}
