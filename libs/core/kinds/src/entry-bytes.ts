/**
 * Approximate bytes that an entry counts towards `maxStateBytes` beside key and state (I7): head, row, timer and its place in the
 * index.
 */
export const ENTRY_BYTES = 128;
