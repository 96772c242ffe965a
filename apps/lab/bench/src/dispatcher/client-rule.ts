// The client's own rule: no answer in ten seconds, the same message again; ten times, he begins from the beginning. Pure.
import type { DurationMs } from '@flatline/base';

export const AGAIN_AFTER_MS: DurationMs = 10_000;
export const TRIES_MAX = 10;

/**
 * Returns the first answer; undefined: none came, which means a reset.
 *
 * @param send sends the message, as the `tries`-th time (from 1), and resolves to undefined where no answer came in time
 */
export async function untilAnswered<Answer>(
  send: (tries: number) => Promise<Answer | undefined>,
): Promise<Answer | undefined> {
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const answer = await send(tries);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
