// How a command's process ends, seen from outside.
import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));
/** As Node's own where V8's threads and the main thread wait for each other. */
const STUCK_EXIT = 'process.reallyExit = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
const LEFT_OPEN = "(await import('node:net')).createServer().listen(0, '127.0.0.1');";
const FAILS_LATE = "setInterval(() => { if (process.exitCode === 0) throw new Error('late'); }, 1);";

/** @param preload statements that run before the program. */
async function exitCodeOf(line: string, preload: string): Promise<number | null> {
  const node = ['--conditions=@flatline/source', '--import', `data:text/javascript,${encodeURIComponent(preload)}`];
  const child = spawn(process.execPath, [...node, main, ...line.split(' ')], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    timeout: 100_000,
    killSignal: 'SIGKILL',
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

describe('a command that has done its work', () => {
  test.each([
    ['--version', 0],
    ['config check --config /nowhere/flatline.config.json', 2],
  ])('`%s` ends by itself with %i: an exit that never comes back cannot hold it', async (line, code) => {
    expect(await exitCodeOf(line, STUCK_EXIT)).toBe(code);
  });

  test('ends whatever is left open', async () => {
    expect(await exitCodeOf('--version', LEFT_OPEN)).toBe(0);
  });

  test('has not failed by what fails afterwards', async () => {
    expect(await exitCodeOf('--version', FAILS_LATE)).toBe(0);
  });
});
