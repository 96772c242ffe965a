// What started this process: npx, or the launcher of a checkout. Killed with -9 it passes nothing on, and at the terminal all
// seems to have ended; so this process stops when its launcher has gone.
//
// Both announce themselves by variables, which every process below inherits, even children of other programs, which may
// outlive the launcher. They count only for the process that they were meant for.
import type { Clock, DurationMs } from '@flatline/base';
import { readFileSync } from 'node:fs';
import { requestableStop, type Stop } from './stop.ts';

const LOOK_EVERY_MS: DurationMs = 500;
/** Between this process and npm: a shell, and in a checkout its launcher. */
const ANCESTORS_MAX = 5;

/** The process id of the launcher (scripts/launch.mjs). No `FLATLINE_…`: those are settings. */
const LAUNCHER = 'LAUNCHER_OF_FLATLINE';
/** How npm names what npx runs, by `npm_lifecycle_script`: `'flatline'`, or the line given to `npx -c`. */
const COMMAND = /(?:^|[\s'"/])flatline(?:$|[\s'"])/;

/** What of a process is needed; Node's `process` is one. */
export interface LaunchedProcess {
  readonly env: Record<string, string | undefined>;
  readonly ppid: number;
  readonly connected: boolean;
  readonly send?: unknown;
  on(event: 'disconnect', listener: () => void): unknown;
  /** Signal 0 asks whether the process is there: throws if not. */
  kill(pid: number, signal: 0): unknown;
}

/** Requested when the launcher has gone; undefined where none is known: a shell may end before what it has started. */
export function launcherStop(launched: LaunchedProcess, clock: Clock): Stop | undefined {
  const { env } = launched;
  const hasChannel = launched.send !== undefined && isOfLauncher(launched);
  const isOfNpx = env['npm_lifecycle_event'] === 'npx' && COMMAND.test(env['npm_lifecycle_script'] ?? '');
  for (const name of [LAUNCHER, 'npm_lifecycle_event', 'npm_lifecycle_script']) Reflect.deleteProperty(env, name);
  if (!hasChannel && !isOfNpx) return undefined;
  const { stop, request } = requestableStop();
  if (hasChannel) {
    launched.on('disconnect', request);
    if (!launched.connected) request();
  }
  if (isOfNpx) onOrphaned(launched, clock, request);
  return stop;
}

/** By its process id: that of the parent, or of a process that ended while this one began. */
function isOfLauncher(launched: LaunchedProcess): boolean {
  const launcher = Number(launched.env[LAUNCHER] ?? Number.NaN);
  if (Number.isNaN(launcher)) return false;
  return launcher === launched.ppid || !isThere(launched, launcher);
}

function isThere(launched: LaunchedProcess, pid: number): boolean {
  try {
    launched.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
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
