import type { DurationMs } from '@flatline/base';

/** Deliveries of one endpoint and partition that are in memory to be attempted; of more than this the rest waits in the log. */
export const READY_MAX = 256;
/** Bytes of their bodies, and one body more. */
export const READY_BYTES_MAX = 1_048_576;
/** Bytes of bodies that wait in memory behind another of their key, and one body more. */
export const BEHIND_BYTES_MAX = 1_048_576;
/** Names of deliveries, of one endpoint and partition, whose keys are told apart. */
export const NAMED_MAX = 100_000;
/** A delivery that is held comes again after so long: by then it was attempted, or is held again. */
export const HOLD_MS: DurationMs = 600_000;
/** An attempt begins with so much of that left beyond its own time limit. */
export const HOLD_LEFT_MS: DurationMs = 60_000;
/** A delivery that waits for another of its key is woken; if never, it comes after so long. */
export const BEHIND_MS: DurationMs = 30 * 86_400_000;
/** A delivery that finds no room comes again after so long at the earliest. */
export const PARKED_LEAST_MS: DurationMs = 1_000;
/** Parked deliveries come back at the pace at which others end, and no slower than one in this time. */
export const PARKED_GAP_MAX_MS: DurationMs = 1_000;
