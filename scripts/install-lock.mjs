// One installation at a time per clone: a second command waits, then finds the work done.
//
// Owns: the lock file, one line of process ids.
// Does not own: the work done under it.
//
// Invariants
//   IL1  The file appears whole or not at all (a hard link), so it is never read by halves.
//   IL2  It is valid as long as one of its processes lives: the owner, or the npm that outlived it.
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const retryMs = 100;
const waitMs = 10 * 60_000;

/**
 * Runs `work(hold)`, alone under its lock file; `hold(pid)` names a process for which the lock outlives its owner.
 * Rejects after ten minutes of waiting.
 *
 * @template T
 * @param {string} lock
 * @param {(hold: (pid: number) => void) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function exclusively(lock, work) {
  mkdirSync(dirname(lock), { recursive: true });
  const giveUpAt = performance.now() + waitMs;
  for (let waited = false; !take(lock); waited = true) {
    if (performance.now() > giveUpAt)
      throw new Error(
        `${lock} is held by process ${holders(lock).join(', ')}: end it, or delete the file if it is none of npm's`,
      );
    if (!waited) console.error(`flatline: waiting for process ${holders(lock)[0]}, which is installing`);
    await delay(retryMs);
  }
  const release = () => rmSync(lock, { force: true });
  process.on('exit', release);
  try {
    return await work((pid) => name(lock, `${process.pid} ${pid}`));
  } finally {
    process.off('exit', release);
    release();
  }
}

function name(lock, holders) {
  const claim = `${lock}.${process.pid}`;
  writeFileSync(claim, holders);
  renameSync(claim, lock);
}

function take(lock) {
  const claim = `${lock}.${process.pid}`;
  writeFileSync(claim, String(process.pid));
  try {
    linkSync(claim, lock);
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(claim, { force: true });
  }
  if (!holders(lock).some(alive)) clearAway(lock);
  return false;
}

/** Moves a dead owner's lock aside. If it turns out to be a living one's, after a lost race, it is put back. */
function clearAway(lock) {
  const aside = `${lock}.${process.pid}.aside`;
  try {
    renameSync(lock, aside);
    if (holders(aside).some(alive)) linkSync(aside, lock);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

function holders(lock) {
  try {
    return readFileSync(lock, 'utf8').split(' ').map(Number);
  } catch {
    return []; // released meanwhile
  }
}

function alive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
