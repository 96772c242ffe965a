import { fork } from 'node:child_process';
import { once } from 'node:events';
import { bindToExit } from '../exit-bound.ts';
import type { BeatTask } from './latency-scenario.ts';

/** Heartbeats at a steady rate, sent by a process of their own. */
export interface Beats {
  /** Events per second that were sent. */
  stop(): Promise<number>;
  kill(): void;
}

export function startBeats(task: BeatTask): Beats {
  const script = import.meta.filename.replace(/beats(\.\w+)$/, 'beat-process$1');
  const child = bindToExit(fork(script, [JSON.stringify(task)]));
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
