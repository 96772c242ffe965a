import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exclusively } from './install-lock.mjs';

let folder: string;
let lock: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flatline-install-'));
  lock = join(folder, 'state', 'install.lock');
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Takes the lock in a process of its own and writes down when it enters and leaves. */
function contender(): ChildProcess {
  const script = `
    import { appendFileSync } from 'node:fs';
    import { setImmediate as turn } from 'node:timers/promises';
    import { exclusively } from ${JSON.stringify(new URL('install-lock.mjs', import.meta.url).href)};
    await exclusively(${JSON.stringify(lock)}, async () => {
      appendFileSync(${JSON.stringify(join(folder, 'diary'))}, 'in ');
      for (let turns = 0; turns < 100; turns += 1) await turn();
      appendFileSync(${JSON.stringify(join(folder, 'diary'))}, 'out ');
    });`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', 'pipe'] });
}

async function exitCodeOf(child: ChildProcess): Promise<unknown> {
  const [code] = (await once(child, 'exit')) as unknown[];
  return code;
}

const deadPid = (): number => spawnSync(process.execPath, ['-e', '']).pid;

describe('one installation at a time', () => {
  test('IL1 processes that start together go one after the other, and leave nothing behind', async () => {
    const codes = await Promise.all([1, 2, 3, 4].map(() => exitCodeOf(contender())));
    expect(codes).toEqual([0, 0, 0, 0]);
    expect(readFileSync(join(folder, 'diary'), 'utf8')).toBe('in out '.repeat(4));
    expect(readdirSync(join(folder, 'state'))).toEqual([]);
  });

  test('a lock whose holders have died is taken over, by one of many', async () => {
    await exclusively(lock, () => Promise.resolve());
    writeFileSync(lock, `${deadPid()} ${deadPid()}`);
    await Promise.all([1, 2, 3, 4].map(() => exitCodeOf(contender())));
    expect(readFileSync(join(folder, 'diary'), 'utf8')).toBe('in out '.repeat(4));
  });

  test('IL2 it is held while the process it names lives on without its owner', async () => {
    await exclusively(lock, (hold) => {
      hold(process.pid);
      expect(readFileSync(lock, 'utf8')).toBe(`${process.pid} ${process.pid}`);
      return Promise.resolve();
    });
    writeFileSync(lock, `${deadPid()} ${process.pid}`);
    const waiting = contender();
    const ended = exitCodeOf(waiting);
    const [said] = (await once(waiting.stderr!, 'data')) as [Buffer];
    expect(said.toString()).toContain('waiting for process');
    expect(existsSync(join(folder, 'diary'))).toBe(false);
    rmSync(lock);
    expect(await ended).toBe(0);
    expect(readFileSync(join(folder, 'diary'), 'utf8')).toBe('in out ');
  });

  test('work that fails gives it back', async () => {
    const failing = exclusively(lock, () => Promise.reject(new Error('no network')));
    await expect(failing).rejects.toThrow('no network');
    expect(existsSync(lock)).toBe(false);
  });
});
