import type { Turns } from './settings.ts';

/** Lets timers, sockets and the other tasks have their turn. */
export function turn(turns: Turns): Promise<void> {
  return new Promise((resolve) => {
    turns(resolve);
  });
}
