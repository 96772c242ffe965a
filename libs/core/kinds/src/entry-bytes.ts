/** What an entry counts towards `maxStateBytes` beside key and state (I7): head, row, timer and its place in the index, about. */
export const ENTRY_BYTES = 128;
