import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFolder } from './bootstrap.mjs';

const orphanCheckMs = 500;
/** Time for Node to end a program that is done. */
const shutdownMs = 2_000;

/** Runs a command with the pinned Node first on PATH, hands it this process's signals, and ends as it ends. */
export function launch(command, args) {
  const bin = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules', '.bin');
  const PATH = [nodeFolder(), bin, process.env.PATH].join(delimiter);
  // No shell between: a shell would swallow SIGTERM and leave the command running.
  // Over the channel a Node program learns that this one was killed with -9, and reports that it is done (apps/cli/src/launcher.ts).
  const stdio = ['inherit', 'inherit', 'inherit', ...(command === 'node' ? ['ipc'] : [])];
  const child = spawn(command, args, { stdio, env: { ...process.env, PATH } });
  // Any parent may open a channel, so the message names the launcher. Sent before anything can end this process.
  if (child.connected) child.send({ launcherOf: child.pid }, () => undefined);
  child.on('message', (message) => {
    if (typeof message?.doneWith === 'number') endAfterIt(child, message.doneWith);
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  if (process.env.npm_lifecycle_event !== undefined) onOrphaned(() => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`flatline: cannot start ${command}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** It has done its work and written everything, but Node's own shutdown may still hang (nodejs/node#54918). */
function endAfterIt(child, code) {
  const timer = setTimeout(() => {
    child.removeAllListeners('exit');
    child.on('exit', () => process.exit(code));
    child.kill('SIGKILL');
  }, shutdownMs);
  timer.unref();
}

/** npm passes SIGTERM to the shell in which it runs a script, and the shell ends without passing it on. */
function onOrphaned(act) {
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    act();
  }, orphanCheckMs);
}
