// A peer's program: it runs in a process of its own, takes its task as arguments and answers with lines of JSON.
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { bindToExit } from '../exit-bound.ts';

export interface RunningProgram {
  readonly pid: number | undefined;
  /** Its first line. */
  readonly first: unknown;
  /** Rejects once it has ended, with how. */
  readonly ended: Promise<never>;
  end(): Promise<void>;
  /** With SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Runs it to its end and returns its last line. @throws Error where it fails, with what was run. */
export async function runProgram<T>(command: string, args: readonly string[]): Promise<T> {
  const child = start(command, args);
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const how = await ended(child);
  if (how !== 0) throw new Error(`${[command, ...args].join(' ')} ended with ${how}`);
  return lastAnswer(output) as T;
}

/**
 * Starts it, waits for its first line, and leaves it running; it ends when its input does.
 * @param onLine told of every line after the first one.
 * @throws Error where it ends before that; SyntaxError where its first line is no JSON
 */
export async function startProgram(
  command: string,
  args: readonly string[],
  onLine: (line: string) => void = () => undefined,
): Promise<RunningProgram> {
  const child = start(command, args);
  const end = ended(child);
  const lines = createInterface({ input: child.stdout });
  const said = new Promise<string>((resolve) => {
    lines.once('line', (first) => {
      lines.on('line', onLine);
      resolve(first);
    });
  });
  const failed = end.then((how) => Promise.reject(new Error(`${command} ended with ${how}`)));
  const first = await Promise.race([said, failed]);
  failed.catch(() => undefined);
  return {
    pid: child.pid,
    first: JSON.parse(first) as unknown,
    ended: failed,
    end: async () => {
      child.stdin.end();
      await end;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await end;
    },
  };
}

/** The last line of what a program said. @throws SyntaxError where that is no JSON. */
export function lastAnswer(output: string): unknown {
  return JSON.parse(output.trimEnd().split('\n').at(-1)!);
}

/** Its exit code, or the signal that ended it. */
export function ended(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      resolve(code ?? signal ?? 'unknown');
    });
  });
}

function start(command: string, args: readonly string[]): ChildProcessByStdio<Writable, Readable, null> {
  return bindToExit(spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
}
