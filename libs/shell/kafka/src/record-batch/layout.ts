// Where things are in a record batch of format 2 (KIP-98). All integers are big-endian; offsets count from the batch's start.

export const BASE_OFFSET_AT = 0;
/** Length of everything behind this field. */
export const BATCH_LENGTH_AT = 8;
export const LEADER_EPOCH_AT = 12;
/** At the same place in every format there has been. */
export const MAGIC_AT = 16;
export const CHECKSUM_AT = 17;
/** The checksum covers everything from here on. */
export const ATTRIBUTES_AT = 21;
export const LAST_OFFSET_DELTA_AT = 23;
export const BASE_TIMESTAMP_AT = 27;
export const GREATEST_TIMESTAMP_AT = 35;
export const PRODUCER_ID_AT = 43;
export const PRODUCER_EPOCH_AT = 51;
export const BASE_SEQUENCE_AT = 53;
export const RECORD_COUNT_AT = 57;
export const RECORDS_AT = 61;

/** Bytes up to and including the batch length. */
export const BATCH_PREFIX_BYTES = 12;
export const MAGIC = 2;

export const COMPRESSION_MASK = 0x07;
export const LOG_APPEND_TIME_BIT = 0x08;
export const TRANSACTIONAL_BIT = 0x10;
export const CONTROL_BIT = 0x20;

/** Type in the key of a control record: int16 version, int16 type. */
export const ABORT_MARKER = 0;
