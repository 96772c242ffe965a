// A script in a process of its own, which is told things and says why it ended.
//
// Owns: what it said last.
// Does not own: what it is told, and what it answers.
import type { DurationMs } from '@flatline/base';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bindToExit } from './exit-bound.ts';

/** The end of what a process said, which an error quotes. */
const LAST_WORDS_MAX = 2_000;
/** A process of its own may hold the stream open for longer. */
const SAID_WITHIN_MS: DurationMs = 1_000;

export interface Forked {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown>;
  /** Rejects once it has ended, with how, and what it said last. */
  readonly ended: Promise<never>;
  /** One that has ended, or ends before it hears, is not told: `ended` says why. */
  readonly tell: (message: object | string) => void;
}

/** @param name what it is called in the error */
export function forked(script: string, args: readonly string[], execArgv: readonly string[], name: string): Forked {
  const stdio = ['inherit', 'inherit', 'pipe', 'ipc'] as const;
  const child = bindToExit(fork(script, args, { execArgv: [...execArgv], stdio: [...stdio] }));
  const words = lastWords(child);
  const exit = once(child, 'exit');
  const ended = exit.then(async () => {
    const said = await words();
    const how = child.signalCode ?? `code ${String(child.exitCode)}`;
    throw new Error(`${name} ended with ${how}${said === '' ? '' : `; it said last:\n${said}`}`);
  });
  ended.catch(() => undefined);
  const tell = (message: object | string): void => {
    // Without a callback a closed channel would be an error that nothing expects, and the reason would be lost.
    child.send(message, () => undefined);
  };
  return { child, exit, ended, tell };
}

/** Passes on what it says as it comes. */
function lastWords({ stderr }: ChildProcess): () => Promise<string> {
  let said = '';
  const over = once(stderr!, 'close');
  stderr!.setEncoding('utf8').on('data', (text: string) => {
    process.stderr.write(text);
    said = (said + text).slice(-LAST_WORDS_MAX);
  });
  return async () => {
    await Promise.race([over, once(AbortSignal.timeout(SAID_WITHIN_MS), 'abort')]);
    return said.trim();
  };
}
