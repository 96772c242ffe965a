// How far each count of a session goes; there it stays (S6). So many events of one key are rare, and so much said to be
// missing is a producer's doing; neither may wrap round, or reach an image or a summary that cannot hold it.

/** Events, duplicates and what comes out of order, in 32 bits each. */
export const COUNT_MAX = 2 ** 32 - 1;
/** Restarts of a sequence: the four bits beside them have another meaning (DetailWindow). */
export const RESTARTS_MAX = 2 ** 28 - 1;
/** Sequence numbers missing: a jump may be as wide as the safe integers, and there may be several. */
export const MISSING_MAX = Number.MAX_SAFE_INTEGER;
