import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exclusive } from './exclusive.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const newLock = (): string => join(temporaryFolder(), 'lock');
const WAIT_MS = 20_000;

describe('exclusive work', () => {
  test('is done by one at a time, by each once', async () => {
    const lock = newLock();
    let inside = 0;
    let most = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      most = Math.max(most, inside);
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
      inside -= 1;
    };
    await Promise.all(Array.from({ length: 4 }, () => exclusive(lock, { waitMs: WAIT_MS }, work)));
    expect({ inside, most }).toEqual({ inside: 0, most: 1 });
    expect(readdirSync(dirname(lock))).toEqual([]);
  });

  test('takes over from an owner that died', async () => {
    const lock = newLock();
    writeFileSync(lock, JSON.stringify({ pid: process.pid, startedAt: 'an earlier process' }));
    expect(await exclusive(lock, { waitMs: WAIT_MS }, () => Promise.resolve('done'))).toBe('done');
    expect(existsSync(lock)).toBe(false);
  });

  test('takes over from a lock that cannot be read', async () => {
    const lock = newLock();
    writeFileSync(lock, '');
    expect(await exclusive(lock, { waitMs: WAIT_MS }, () => Promise.resolve('done'))).toBe('done');
  });

  test('frees the lock when the work fails', async () => {
    const lock = newLock();
    await expect(exclusive(lock, { waitMs: WAIT_MS }, () => Promise.reject(new Error('disk full')))).rejects.toThrow(
      'disk full',
    );
    expect(await exclusive(lock, { waitMs: 0 }, () => Promise.resolve('next'))).toBe('next');
  });

  test('gives up on a living owner after its bound, naming it, and leaves it the lock', async () => {
    const lock = newLock();
    const waited: number[] = [];
    const onWait = (owner: number): void => void waited.push(owner);
    await exclusive(lock, { waitMs: WAIT_MS }, async () => {
      const second = exclusive(lock, { waitMs: 1, onWait }, () => Promise.resolve());
      await expect(second).rejects.toThrow(
        `waited 1 ms for process ${process.pid}, which still holds ${lock}: try again`,
      );
      expect(existsSync(lock)).toBe(true);
    });
    expect(waited).toEqual([process.pid]);
  });
});
