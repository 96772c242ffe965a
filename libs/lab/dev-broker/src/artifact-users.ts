// Tracks which running processes need a folder of artifacts: another version of the package, in another project, may think it old.
//
// Owns: a file for each process beside the folders, by the process's identity; those of dead ones are removed at the next look. The
// number of a process of another container, or of the host, means nothing here: it counts as alive for a day.
import { mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const USERS = 'users';
/** A broker seldom runs for longer, and at worst its jars are fetched again. */
const FOREIGN_MS = 24 * 60 * 60 * 1_000;

interface Note extends ProcessIdentity {
  /** Namespace of its number; undefined: written by an earlier build, which did not record it. */
  readonly namespace?: string;
}

/** Notes that the process runs the artifacts in `folder`. */
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
    // It runs all the same: only its folder is not protected.
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
    // Cut off, or gone by now: ignored.
  }
  rmSync(note, { force: true });
  return false;
}

/** The namespace within which processes see each other's numbers. */
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
