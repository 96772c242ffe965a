import type { Clock, DurationMs } from '@flatline/base';

/** Resolves after `delayMs` of `clock`'s monotonic time, or as soon as `end` is aborted. Leaves nothing behind on either. */
export function pause(clock: Clock, delayMs: DurationMs, end?: AbortSignal): Promise<void> {
  if (end?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const over = (): void => {
      cancel();
      end?.removeEventListener('abort', over);
      resolve();
    };
    const cancel = clock.after(delayMs, over);
    end?.addEventListener('abort', over);
  });
}
