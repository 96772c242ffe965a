// Memory that a watchdog shares with the thread that looks on.

/** Index of each Int32: a number that is odd during a call; where; whether to look no more. */
export const CALL = 0;
export const PARTITION = 1;
export const PLACE = 2;
export const STOPPED = 3;

/** The Float64 behind them. */
export const NUMBERS_AT = 16;
export const OFFSET = 0;

/** Names of pipeline and topic as JSON, filled up with zeros. */
export const PLACES_AT = 24;
/** Inputs of all pipelines of a process that have a reducer. */
export const PLACES_MAX = 1_024;
/** 80 and 249 characters, none of which JSON escapes, and names of members. */
export const PLACE_BYTES = 384;
export const MEMORY_BYTES: number = PLACES_AT + PLACES_MAX * PLACE_BYTES;
