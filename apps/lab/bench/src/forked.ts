// A script in a separate process, which takes messages and reports why it ended.
//
// Owns: its last output.
// Does not own: the messages in either direction.
import type { DurationMs } from '@flatline/base';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { bindToExit } from './exit-bound.ts';

/** Length of the last output that an error quotes. */
const LAST_WORDS_MAX = 2_000;
/** A grandchild may keep the stream open for longer. */
const SAID_WITHIN_MS: DurationMs = 1_000;

export interface Forked {
  readonly child: ChildProcess;
  readonly exit: Promise<unknown>;
  /** Rejects once it has ended, with how, and its last output. */
  readonly ended: Promise<never>;
  /** Has no effect on a process that has ended, or ends before it hears: `ended` says why. */
  readonly tell: (message: object | string) => void;
}

/** @param name of the process in the error */
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
    // Without a callback a closed channel would raise an error that nothing handles, and the reason would be lost.
    child.send(message, () => undefined);
  };
  return { child, exit, ended, tell };
}

/** Forwards its output as it comes, and returns the end of it. */
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
