/** Header of a tombstone: the incarnation of its key that is over for good (S9). */
export const INCARNATION_HEADER = 'flatline-incarnation';
