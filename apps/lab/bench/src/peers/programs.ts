// Third-party programs. A peer's runs in a separate process, takes its task as arguments and answers with lines of JSON; any program
// that it needs is found on this machine, or the remedy is reported.
import { Fatal } from '@flatline/base';
import { type ChildProcess, type ChildProcessByStdio, execFile, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { promisify } from 'node:util';
import { bindToExit } from '../exit-bound.ts';

const OUTPUT_BYTES_MAX = 64 << 20;
/** Lines shown of a failed tool's output. */
const LINES_MAX = 12;

export interface RunningProgram {
  readonly pid: number | undefined;
  /** Its first line. */
  readonly first: unknown;
  /** Rejects once it has ended, with how. */
  readonly ended: Promise<never>;
  end(): Promise<void>;
  /** Kills it with SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Runs it to its end and returns its last line. @throws Error if it fails, with the command. */
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
 * @throws Error if it ends before that; SyntaxError if its first line is not JSON
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

/** The last line of a program's output. @throws SyntaxError if that is not JSON. */
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

/** Its path; undefined if it is neither on PATH nor in one of the folders in which packages install it. */
export function findProgram(name: string, folders: readonly string[] = []): string | undefined {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return [...path, ...folders].map((folder) => join(folder, name)).find(isExecutable);
}

/** A version from a program's output: the pattern's first group; `unknown` without a match. */
export async function versionSaid(command: string, args: readonly string[], pattern: RegExp): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)(command, args);
  return pattern.exec(stdout + stderr)?.[1] ?? 'unknown';
}

/** Runs a tool that builds or prepares something. @throws Fatal with the remedy, and the beginning of its output */
export async function runTool(
  command: string,
  args: readonly string[],
  {
    remedy,
    ...options
  }: { readonly remedy: string; readonly cwd?: string; readonly uid?: number; readonly gid?: number },
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { ...options, maxBuffer: OUTPUT_BYTES_MAX });
    return stdout;
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string };
    const said = `${stderr}${stdout}`.trim().split('\n').slice(0, LINES_MAX).join('\n');
    throw new Fatal(`${command} failed: ${remedy}\n${said === '' ? message : said}`, error);
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not ours to run: the next folder
  }
}
