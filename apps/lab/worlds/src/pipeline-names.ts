/** The one pipeline of every simulated cluster. */
export const INPUT = 'in';
export const OUTPUT = 'out';
/** A target of schedules. */
export const TARGET = 'elsewhere';
export const CHANGELOG = 'changelog';
export const DEAD_LETTERS = 'dead';
export const GROUP = 'app.visits';
export const CLOCK_HEADER = 'flatline-clock';
export const MAX_KEY_BYTES = 64;
/** What an input holds from before its application is written within this. */
export const EARLY_MS = 1_000;
/** max.message.bytes of the dead-letter topic: some of what devices send is longer. */
export const LETTER_BYTES_MAX = 1_500;

/** What every scenario has in common; timeouts are the scenario's. */
export const RULES = {
  minTimeoutMs: 500,
  maxTimeoutMs: 20_000,
  dedupeEventIds: 4,
  maxSources: 1,
  maxAttributes: 3,
  maxAttributeBytes: 64,
} as const;
/** K8 */
export const CHANGELOG_FACTOR = 4;
