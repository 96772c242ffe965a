import type { ChildProcess } from 'node:child_process';

/** Kills the child when this process exits, so that an interrupted benchmark leaves no processes. */
export function bindToExit<Child extends ChildProcess>(child: Child): Child {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const release = (): void => void process.off('exit', kill);
  // There is no `close` of a child whose channel was closed from here, and no `exit` of one that could not be started.
  child.once('exit', release).once('close', release);
  return child;
}
