import { Fatal } from '@flatline/base';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const RETRY_MS = 100;

export interface ExclusiveOptions {
  /** Time to wait for another process, in milliseconds. */
  readonly waitMs: number;
  /** Called once if another process has to be waited for. */
  readonly onWait?: (owner: number) => void;
}

/**
 * Runs `work` while no other process of this machine does under the same lock file. A lock whose owner died is taken over.
 * Throws `Fatal` if the owner keeps it for longer than `waitMs`.
 */
export async function exclusive<T>(lock: string, options: ExclusiveOptions, work: () => Promise<T>): Promise<T> {
  mkdirSync(dirname(lock), { recursive: true });
  const giveUpAt = performance.now() + options.waitMs;
  let waited = false;
  for (;;) {
    const attempt = tryTake(lock);
    if (attempt.kind === 'taken') break;
    if (attempt.kind === 'cleared') continue;
    const { owner } = attempt;
    // Announced first: on a busy machine one look may take longer than the whole limit.
    if (!waited) options.onWait?.(owner.pid);
    waited = true;
    if (performance.now() > giveUpAt)
      throw new Fatal(
        `waited ${options.waitMs} ms for process ${owner.pid}, which still holds ${lock}: try again once it is done, or stop it first`,
      );
    await delay(RETRY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
}

type Attempt =
  | { readonly kind: 'taken' }
  | { readonly kind: 'held'; readonly owner: ProcessIdentity }
  /** A dead owner's lock is gone; any process may be first now. */
  | { readonly kind: 'cleared' };

function tryTake(lock: string): Attempt {
  const claim = `${lock}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(claim, JSON.stringify(identify(process.pid)));
  try {
    // A hard link appears whole or not at all, so a lock is never read while it is being written.
    linkSync(claim, lock);
    return { kind: 'taken' };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(claim, { force: true });
  }
  const owner = readOwner(lock);
  if (owner !== undefined && isAlive(owner)) return { kind: 'held', owner };
  clearAway(lock);
  return { kind: 'cleared' };
}

/** Moves a dead owner's lock aside. If it turns out to be a living one's, after a lost race, it is put back. */
function clearAway(lock: string): void {
  const aside = `${lock}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  try {
    renameSync(lock, aside);
    const owner = readOwner(aside);
    if (owner !== undefined && isAlive(owner)) linkSync(aside, lock);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function readOwner(lock: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(lock, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined; // released meanwhile
  }
}
