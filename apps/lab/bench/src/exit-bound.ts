import type { ChildProcess } from 'node:child_process';

/** Kills the child when this process exits: a benchmark that is interrupted takes everything it has started with it. */
export function bindToExit<Child extends ChildProcess>(child: Child): Child {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.off('exit', kill));
  return child;
}
