import type { Clock, DurationMs } from '@flatline/base';
import { pause } from './pause.ts';

/** Delays and limit of tries after an error that is expected to pass by itself. */
export interface Patience {
  readonly firstMs: DurationMs;
  readonly mostMs: DurationMs;
  /** From the first attempt on; afterwards the last error is thrown. */
  readonly limitMs: DurationMs;
}

/** Repeats `attempt` while its error `passes`, with doubling delays, until `limitMs` are over. */
export async function patiently<T>(
  clock: Clock,
  patience: Patience,
  attempt: () => Promise<T>,
  passes: (error: unknown) => boolean,
): Promise<T> {
  const deadline = clock.monotonicMs() + patience.limitMs;
  for (let delayMs = patience.firstMs; ; delayMs = Math.min(delayMs * 2, patience.mostMs)) {
    try {
      return await attempt();
    } catch (error) {
      if (!passes(error) || clock.monotonicMs() + delayMs > deadline) throw error;
    }
    await pause(clock, delayMs);
  }
}
