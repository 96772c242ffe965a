// Every queue and loop of a test pipeline has its maximum here.

/** Partitions of the input. */
export const PARTITIONS_MAX = 1_024;
/** Outputs, receipts, dead letters that wait to be asked for, of each; and raw records, of which older ones go. */
export const WAITING_MAX = 1_000_000;
/** Proofs of silence in one stretch of time. */
export const PROOFS_MAX = 1_000_000;
/** Upper bound on reusable memory for the blocks of one partition. */
export const FREE_BLOCK_BYTES_MAX = 1_048_576;
/** Records and due entries between two looks at the commit. */
export const STEP_RECORDS_MAX = 2_048;
export const EXPIRE_MAX = 1_024;
