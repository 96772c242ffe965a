import { type Clock } from '@flatline/base';

/** This process's own time, for the processes a benchmark starts. */
export const processClock: Clock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs).unref();
    return () => {
      clearTimeout(timer);
    };
  },
};
