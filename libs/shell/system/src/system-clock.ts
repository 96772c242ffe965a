import type { Clock } from '@flatline/base';

/** Longer delays overflow Node's timers and would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The machine's clocks. */
export const systemClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    // Rounded up: a timer that fires early would find its deadline a fraction of a millisecond away, again and again.
    const timer = setTimeout(callback, Math.min(Math.max(0, Math.ceil(delayMs)), TIMER_MS_MAX));
    timer.unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
