import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFolder } from './bootstrap.mjs';

const orphanCheckMs = 500;

/** Runs a command with the pinned Node first on PATH, hands it this process's signals, and ends as it ends. */
export function launch(command, args) {
  const bin = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules', '.bin');
  const PATH = [nodeFolder(), bin, process.env.PATH].join(delimiter);
  // No shell between: a shell would swallow SIGTERM and leave the command running.
  // A program of Node's notices by the channel when this one is killed with -9, and ends (apps/cli/src/launcher.ts). A channel
  // alone may be anyone's.
  const stdio = ['inherit', 'inherit', 'inherit', ...(command === 'node' ? ['ipc'] : [])];
  const LAUNCHER_OF_FLATLINE = String(process.pid);
  const child = spawn(command, args, { stdio, env: { ...process.env, PATH, LAUNCHER_OF_FLATLINE } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event !== undefined) onOrphaned(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`flatline: cannot start ${command}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** npm passes SIGTERM to the shell it runs a script in, and the shell ends without telling anybody. */
function onOrphaned(act) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, orphanCheckMs);
}
