import type { Clock } from '@flatline/base';

/** Longer delays overflow Node's timers and would fire at once. */
const timerMsMax = 2 ** 31 - 1;

export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, Math.ceil(delayMs)), timerMsMax));
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
