import type { Clock, DurationMs } from '@flatline/base';

/** Resolves after `delayMs` of `clock`'s monotonic time. */
export function pause(clock: Clock, delayMs: DurationMs): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}
