import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { bindToExit } from './exit-bound.ts';

/** Names a folder: each measured process writes a CPU profile there, `<contender>-<number>.cpuprofile`. */
export const PROFILE_VARIABLE = 'FLATLINE_BENCH_PROFILE';
let profiles = 0;

/**
 * Runs a script of this package in a process of its own and returns what it sends. @throws Error where it ends before that.
 * @param script its path with the caller's own extension: sources run unbuilt, and so does the build.
 * @param nodeOptions beside those of this process.
 */
export function measureApart<T>(
  script: string,
  args: readonly string[],
  what: string,
  nodeOptions: readonly string[] = [],
): Promise<T> {
  const execArgv = [...process.execArgv, '--expose-gc', ...nodeOptions, ...profiling(what)];
  return new Promise((resolve, reject) => {
    const child = bindToExit(fork(script, args, { execArgv }));
    let answer: T | undefined;
    child.on('message', (message) => {
      answer = message as T;
    });
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      if (answer !== undefined) resolve(answer);
      else reject(new Error(`measuring ${what} ended with ${signal ?? `code ${String(code)}`} before it was done`));
    });
  });
}

/** Options of Node for a process that is measured as `what`. */
export function profiling(what: string): readonly string[] {
  const folder = process.env[PROFILE_VARIABLE];
  if (folder === undefined || folder === '') return [];
  mkdirSync(folder, { recursive: true });
  profiles += 1;
  return ['--cpu-prof', `--cpu-prof-dir=${folder}`, `--cpu-prof-name=${what}-${profiles}.cpuprofile`];
}
