import { fork } from 'node:child_process';

/**
 * Runs a script of this package in a process of its own and returns what it sends. @throws Error where it ends before that.
 * @param script its path with the caller's own extension: sources run unbuilt, and so does the build.
 */
export function measureApart<T>(script: string, args: readonly string[], what: string): Promise<T> {
  const execArgv = [...process.execArgv, '--expose-gc', ...profiling()];
  return new Promise((resolve, reject) => {
    const child = fork(script, args, { execArgv });
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

/** FLATLINE_BENCH_PROFILE names a folder: each measured process writes a CPU profile there. */
export function profiling(): readonly string[] {
  const folder = process.env['FLATLINE_BENCH_PROFILE'];
  return folder === undefined || folder === '' ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`];
}
