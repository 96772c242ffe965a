import type { Turns } from '@flatline/runtime';

/**
 * One callback per round of the event loop, in the order in which they came. All immediates that are queued run in one
 * round: sockets and timers would wait for a slice of every task, and not of one. What waits is bounded by the tasks, each
 * of which has a turn and a flush queued at most.
 */
export function singleTurns(nextRound: Turns): Turns {
  const waiting: (() => void)[] = [];
  const takeOne = (): void => {
    const callback = waiting.shift();
    if (waiting.length > 0) nextRound(takeOne);
    callback?.();
  };
  return (callback) => {
    waiting.push(callback);
    if (waiting.length === 1) nextRound(takeOne);
  };
}
