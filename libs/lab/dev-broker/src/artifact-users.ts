// Which running processes need a folder of artifacts: another version of the package, in another project, may hold one for old.
//
// Owns: a file for each process beside the folders, by the process's identity; those of dead ones go at the next look. A process of
// another container, or of the host, has a number that means nothing here: it counts as living for a day.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const USERS = 'users';
/** A broker is seldom left running for longer, and at worst its jars are fetched again. */
const FOREIGN_MS = 24 * 60 * 60 * 1_000;

interface Note extends ProcessIdentity {
  /** Where its number means it; undefined: as an earlier build wrote it, which knew none. */
  readonly namespace?: string;
}

/** The process runs what is in `folder`. */
export function noteUser(folder: string, pid: number): void {
  const identity = identify(pid);
  if (identity === undefined) return;
  isInUse(folder);
  const users = join(dirname(folder), USERS);
  try {
    mkdirSync(users, { recursive: true });
    writeFileSync(
      join(users, `${basename(folder)}.${pid}`),
      JSON.stringify({ ...identity, namespace: namespace() } satisfies Note),
    );
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
    const user = JSON.parse(readFileSync(note, 'utf8')) as Note;
    const isHere = (user.namespace ?? namespace()) === namespace();
    if (isHere ? isAlive(user) : Date.now() - statSync(note).mtimeMs < FOREIGN_MS) return true;
  } catch {
    // Cut off, or gone by now: it says nothing.
  }
  rmSync(note, { force: true });
  return false;
}

/** Processes see each other's numbers within one. */
function namespace(): string {
  return process.platform === 'linux' ? readlinkSync('/proc/self/ns/pid') : process.platform;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // nothing has run yet
  }
}
