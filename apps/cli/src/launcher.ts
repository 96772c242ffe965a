// What started this process: npx, or the launcher of a checkout. Killed with -9 it passes nothing on, and whoever waits at the
// terminal believes that all has ended; so this process stops when it has gone.
import type { Clock, DurationMs } from '@flatline/base';
import { requestableStop, type Stop } from './stop.ts';

const LOOK_EVERY_MS: DurationMs = 500;

/** What of a process is needed; Node's `process` is one. */
export interface LaunchedProcess {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ppid: number;
  readonly connected: boolean;
  readonly send?: unknown;
  on(event: 'disconnect', listener: () => void): unknown;
}

/** Requested when the launcher has gone; undefined where none is known: a shell may end before what it has started. */
export function launcherStop(launched: LaunchedProcess, clock: Clock): Stop | undefined {
  const hasChannel = launched.send !== undefined;
  const isOfNpx = launched.env['npm_lifecycle_event'] === 'npx';
  if (!hasChannel && !isOfNpx) return undefined;
  const { stop, request } = requestableStop();
  if (hasChannel) {
    launched.on('disconnect', request);
    if (!launched.connected) request();
  }
  if (isOfNpx) onOrphaned(launched, clock, request);
  return stop;
}

/** npx opens no channel: its end shows by another parent. */
function onOrphaned(launched: LaunchedProcess, clock: Clock, act: () => void): void {
  const parent = launched.ppid;
  const look = (): void => {
    if (launched.ppid === parent) clock.after(LOOK_EVERY_MS, look);
    else act();
  };
  clock.after(LOOK_EVERY_MS, look);
}
