import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nodeFolder } from './bootstrap.mjs';

/** Runs a command with the pinned Node first on PATH, hands it this process's signals, and ends as it ends. */
export function launch(command, args) {
  const bin = join(dirname(fileURLToPath(import.meta.url)), '..', 'node_modules', '.bin');
  const PATH = [nodeFolder(), bin, process.env.PATH].join(delimiter);
  // No shell between: a shell would swallow SIGTERM and leave the command running.
  const child = spawn(command, args, { stdio: 'inherit', env: { ...process.env, PATH } });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`flatline: cannot start ${command}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
