// What a world calls the topics that a kind reads and writes.
export const INPUT = 'in';
export const OUTPUT = 'out';
/** A target of schedules. */
export const TARGET = 'elsewhere';
export const MAX_KEY_BYTES = 64;
