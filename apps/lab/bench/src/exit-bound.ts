import type { ChildProcess } from 'node:child_process';

/** Kills the child when this process exits: a benchmark that is interrupted takes everything it has started with it. */
export function bindToExit<Child extends ChildProcess>(child: Child): Child {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const release = (): void => void process.off('exit', kill);
  // No close comes of a child whose channel was closed from here, no exit of one that could not be started.
  child.once('exit', release).once('close', release);
  return child;
}
