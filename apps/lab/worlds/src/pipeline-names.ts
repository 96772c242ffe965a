/** The one pipeline of every simulated cluster. */
export { INPUT, MAX_KEY_BYTES, OUTPUT, STATS, TARGET } from '@flatline/lab-kinds';

export const CHANGELOG = 'changelog';
export const DEAD_LETTERS = 'dead';
export const GROUP = 'app.visits';
export const CLOCK_HEADER = 'flatline-clock';
/** Records from before the application are written to an input within this time. */
export const EARLY_MS = 1_000;
/** max.message.bytes of the dead-letter topic: some of the devices' records are longer. */
export const LETTER_BYTES_MAX = 1_500;

/** K8 */
export const CHANGELOG_FACTOR = 4;
