import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { identify, isAlive, signalIdentified, startTicksOf } from './process-identity.ts';

const statOf = (name: string, state: string): string =>
  `42 (${name}) ${state} 1 42 42 0 -1 4194560 100 0 0 0 5 3 0 0 20 0 11 0 987654 1000000 200`;

describe('the start time in /proc/<pid>/stat', () => {
  test('is found behind any process name', () => {
    for (const name of ['java', 'tmux: server', 'a) Z (b', '(']) expect(startTicksOf(statOf(name, 'S'))).toBe('987654');
  });

  test('of a zombie does not count: it has ended and only waits to be noticed', () => {
    expect(startTicksOf(statOf('java', 'Z'))).toBeUndefined();
  });
});

describe('an identity', () => {
  test('is that of a living process', () => {
    const self = identify(process.pid);
    expect(self?.pid).toBe(process.pid);
    expect(self !== undefined && isAlive(self)).toBe(true);
  });

  test('of another process with the same pid is dead, and a signal to it reaches no process', () => {
    const recycled = { pid: process.pid, startedAt: 'an earlier process' };
    expect(isAlive(recycled)).toBe(false);
    // If it reached the process of this pid, this test would not get to its end.
    expect(signalIdentified(recycled, 'SIGKILL')).toBe(false);
  });

  test('dies with its process', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    await once(child, 'spawn');
    const identity = identify(child.pid ?? 0)!;
    expect(isAlive(identity)).toBe(true);
    expect(signalIdentified(identity, 'SIGKILL')).toBe(true);
    await once(child, 'exit');
    expect(isAlive(identity)).toBe(false);
    expect(identify(child.pid ?? 0)).toBeUndefined();
  });
});
