// Which running processes need a folder of artifacts: another version of the package, in another project, may hold one for old.
//
// Owns: a file for each process beside the folders, by the process's identity; those of dead ones go at the next look.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const USERS = 'users';

/** The process runs what is in `folder`. */
export function noteUser(folder: string, pid: number): void {
  const identity = identify(pid);
  if (identity === undefined) return;
  isInUse(folder);
  const users = join(dirname(folder), USERS);
  try {
    mkdirSync(users, { recursive: true });
    writeFileSync(join(users, `${basename(folder)}.${pid}`), JSON.stringify(identity));
  } catch {
    // It runs all the same: its folder is only kept no better than before.
  }
}

export function isInUse(folder: string): boolean {
  const users = join(dirname(folder), USERS);
  const notes = namesIn(users).filter((name) => name.startsWith(`${basename(folder)}.`));
  return notes.map((name) => isOfLiving(join(users, name))).includes(true);
}

function isOfLiving(note: string): boolean {
  try {
    if (isAlive(JSON.parse(readFileSync(note, 'utf8')) as ProcessIdentity)) return true;
  } catch {
    // Cut off, or gone by now: it says nothing.
  }
  rmSync(note, { force: true });
  return false;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing has run yet
  }
}
