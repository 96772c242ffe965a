// Events at a steady rate, sent by a process of their own until it is told to stop: both of its ends.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { bindToExit } from './exit-bound.ts';

/** Between two looks at what is due; what is due is sent in one piece. */
export const PACE_MS = 5;

export interface PacedProcess {
  /** Events per second that were sent. */
  stop(): Promise<number>;
  kill(): void;
}

/** Runs a script of this package that calls `sendAtPace`. */
export function startPaced(script: string, task: object): PacedProcess {
  const child: ChildProcess = bindToExit(fork(script, [JSON.stringify(task)]));
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the process that sends heartbeats ended')));
  ended.catch(() => undefined);
  return {
    stop: async () => {
      const answer = once(child, 'message') as Promise<[number]>;
      child.send('stop');
      return (await Promise.race([answer, ended]))[0];
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

/**
 * In the process that sends: until its parent says stop. What could not be sent in time is sent as soon as it can be.
 * @param send resolves when there is room for more. @param end resolves when all that was sent is in the log.
 */
export async function sendAtPace(
  eventsPerSecond: number,
  send: (count: number) => Promise<void>,
  end: () => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  process.once('message', () => {
    stop.abort();
  });
  const startedAtMs = performance.now();
  let sent = 0;
  while (!stop.signal.aborted) {
    const due = Math.floor(((performance.now() - startedAtMs) * eventsPerSecond) / 1_000);
    await send(due - sent);
    sent = due;
    await delay(PACE_MS);
  }
  const eventsPerSecondSent = (1_000 * sent) / (performance.now() - startedAtMs);
  await end();
  process.send!(eventsPerSecondSent);
  process.disconnect();
}
