// Watches the launcher of this process: npx, or that of a checkout. Killed with -9 it passes nothing on, and at the terminal all
// seems to have ended; so this process stops when its launcher has gone.
//
// npx announces itself by variables, which every process below inherits, even children of other programs, which may outlive it:
// they count only for the process that they were meant for. The launcher of a checkout opens a channel and says over it whose
// launcher it is: a channel alone may be that of any program that forks this one.
import type { Clock, DurationMs } from '@flatline/base';
import { readFileSync } from 'node:fs';
import { requestableStop, type Stop } from './stop.ts';

const LOOK_EVERY_MS: DurationMs = 500;
/** Between this process and npm: a shell, and in a checkout its launcher. */
const ANCESTORS_MAX = 5;

/** How npm names what npx runs, by `npm_lifecycle_script`: `'flatline'`, or the line given to `npx -c`. */
const COMMAND = /(?:^|[\s'"/])flatline(?:$|[\s'"])/;

/** The part of a process that is needed; Node's `process` is one. */
export interface LaunchedProcess {
  readonly env: Record<string, string | undefined>;
  readonly pid: number;
  readonly ppid: number;
  readonly connected?: boolean;
  send?: ((message: { readonly doneWith: number }) => unknown) | undefined;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

export interface LauncherLink {
  /** Commands are typed with `npx` here. */
  readonly isNpx: boolean;
  /** Requested when the launcher has gone. A shell may end before what it has started: it is none. */
  readonly stop: Stop;
  /** All is done and written: a launcher that knows may end this process, should Node not. */
  readonly done: (exitCode: number) => void;
}

export function launcherLink(launched: LaunchedProcess, clock: Clock): LauncherLink {
  const { env, pid } = launched;
  const isOfNpx = env['npm_lifecycle_event'] === 'npx' && COMMAND.test(env['npm_lifecycle_script'] ?? '');
  for (const name of ['npm_lifecycle_event', 'npm_lifecycle_script']) Reflect.deleteProperty(env, name);
  const { stop, request } = requestableStop();
  let isLaunched = false;
  let hasGone = false;
  let doneWith: number | undefined;
  const say = (exitCode: number): void => {
    if (launched.connected === true) launched.send?.({ doneWith: exitCode });
  };
  if (launched.send !== undefined) {
    launched.on('message', (message) => {
      if (!isGreeting(message, pid)) return;
      isLaunched = true;
      if (hasGone) request();
      // A command that waits for nothing is done before it has read what the launcher said.
      if (doneWith !== undefined) say(doneWith);
    });
    launched.on('disconnect', () => {
      hasGone = true;
      if (isLaunched) request();
    });
  }
  if (isOfNpx) onOrphaned(launched, clock, request);
  return {
    isNpx: isOfNpx,
    stop,
    done: (exitCode) => {
      doneWith = exitCode;
      if (isLaunched) say(exitCode);
    },
  };
}

/** By the number of the process that it is for. */
function isGreeting(message: unknown, pid: number): boolean {
  return typeof message === 'object' && message !== null && 'launcherOf' in message && message.launcherOf === pid;
}

/** npx opens no channel: its end shows by another parent, of this process or of the shell between. */
function onOrphaned(launched: LaunchedProcess, clock: Clock, act: () => void): void {
  const line = lineToNpm(launched.ppid);
  const look = (): void => {
    if (lineToNpm(launched.ppid) === line) clock.after(LOOK_EVERY_MS, look);
    else act();
  };
  clock.after(LOOK_EVERY_MS, look);
}

/** Process ids from the parent up to npm; the parent's alone where npm is not found, as without procfs. */
function lineToNpm(parent: number): string {
  const line: number[] = [];
  for (let pid = parent; line.length < ANCESTORS_MAX;) {
    line.push(pid);
    const found = statusOf(pid);
    if (found === undefined) break;
    if (found.name.startsWith('npm')) return line.join(' ');
    pid = found.parent;
  }
  return String(parent);
}

/** `/proc/<pid>/stat`: the name in parentheses, which it may contain itself, the state, the parent. */
function statusOf(pid: number): { readonly name: string; readonly parent: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const end = text.lastIndexOf(')');
    const [, parent] = text.slice(end + 2).split(' ');
    return { name: text.slice(text.indexOf('(') + 1, end), parent: Number(parent) };
  } catch {
    return undefined; // it has ended, or there is no procfs
  }
}
