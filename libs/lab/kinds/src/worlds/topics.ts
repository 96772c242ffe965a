// Names of the topics that a kind reads and writes in a world.
export const INPUT = 'in';
export const OUTPUT = 'out';
/** A target of schedules. */
export const TARGET = 'elsewhere';
/** Statistics of sessions. */
export const STATS = 'out.stats';
export const MAX_KEY_BYTES = 64;
