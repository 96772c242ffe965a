import type { DurationMs } from '@flatline/base';

/** Records of outputs, and of what is due, that are taken for one transaction. */
export const TAKEN_MAX = 500;
/** Bytes of their bodies, and one body more. */
export const TAKEN_BYTES_MAX = 1_048_576;
/** A body and its key, in base64, that are longer are given up: with 16 KiB of attempts they would not fit a record. */
export const BODY_BYTES_MAX = 850_000;
/** Positions that nothing else was decided with are committed so often. */
export const POSITIONS_EVERY_MS: DurationMs = 1_000;
/** Positions that have not moved are committed again so often, and once as a run begins: brokers forget old ones. */
export const POSITIONS_RENEWED_MS: DurationMs = 3_600_000;
/** Requests under way may end so long after their partition has moved away, or the process is to stop. */
export const GRACE_MS: DurationMs = 2_000;
/** Transactions of one partition begin so far apart, so that each holds more than a delivery or two where many end. */
export const COMMIT_GAP_MS: DurationMs = 50;
/** Longest that an outcome for which others wait is kept from a commit, so that more outcomes may join it. */
export const OUTCOMES_GAP_MS: DurationMs = 20;
/** The same where one takes the place of another, and waits to be attempted until that is committed. */
export const KEEP_GAP_MS: DurationMs = 10;
/** No attempt begins so long after a commit without another one: what has fenced the partition meanwhile shows by that. */
export const UNFENCED_MS: DurationMs = 1_000;
/**
 * Outputs stay where they lie for so long at most while none can be attempted, and for as long again while none has room in memory
 * either: then some are kept, since a topic forgets.
 */
export const HELD_BACK_MS: DurationMs = 1_000;
