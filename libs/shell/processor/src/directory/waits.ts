// How long instances wait for each other.
import type { DurationMs } from '@flatline/base';

/**
 * An owner that is there answers with its next commit; one that has gone refuses at once. What is to be proved takes a question to
 * the input's leader, too.
 */
export const ANSWER_WITHIN_MS: DurationMs = 900;
export const PROVED_WITHIN_MS: DurationMs = 2_000;
