// One process at a time in a directory: that of a pipeline, or that of one partition's store.
//
// The lock is the exclusive lock of an empty SQLite database, taken through Node's own `node:sqlite`: a lock the kernel
// holds for the process (fcntl). So it dies with its holder at once, also by kill −9, and knows nothing of pids, which
// are reused and mean another process in another container. A pid file can do neither; a socket's name can be taken
// over by two at once; flock(2) is not reachable from Node. Nothing is ever written to the database.
//
// Where the file system has no locks, opening fails: better than two owners.
import { messageOf, Misconfigured, StateInUse } from '@flatline/base';
import { makeDirectory } from '@flatline/system';
import { readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileSystemError } from './file-system-error.ts';
import { sqliteCodeOf } from './foreign-error.ts';

const SQLITE_BUSY = 5;
const HOLDER = 'holder';

export class DirectoryLock {
  // The connection is the lock: collected, it would be released.
  readonly #connection: DatabaseSync;

  private constructor(connection: DatabaseSync) {
    this.#connection = connection;
  }

  /**
   * Takes the lock without waiting. `name`: what the holder is called beside its process id.
   * @throws StateInUse where another process, or another store of this one, holds it; Misconfigured, Retriable.
   */
  static acquire(directory: string, name?: string): DirectoryLock {
    const holder = join(directory, HOLDER);
    try {
      makeDirectory(directory);
    } catch (error) {
      throw fileSystemError(directory, error);
    }
    const connection = lockedConnection(directory, holder);
    signHolder(holder, name);
    return new DirectoryLock(connection);
  }

  release(): void {
    if (this.#connection.isOpen) this.#connection.close();
  }
}

function lockedConnection(directory: string, holder: string): DatabaseSync {
  let connection: DatabaseSync | undefined;
  try {
    connection = new DatabaseSync(join(directory, 'lock'));
    // No journal on the disk: there must be nothing to write, or a full disk would keep a process from starting.
    connection.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return connection;
  } catch (error) {
    connection?.close();
    throw sqliteCodeOf(error) === SQLITE_BUSY ? inUse(directory, holder) : cannotLock(directory, error);
  }
}

function inUse(directory: string, holder: string): StateInUse {
  return new StateInUse(
    `state directory ${directory} is in use by ${holderNamed(holder)}: ` +
      'stop that process, or give this instance a directory of its own (stateDir, --state-dir, FLATLINE_STATE_DIR)',
  );
}

function cannotLock(directory: string, error: unknown): Misconfigured {
  return new Misconfigured(
    `state directory ${directory} cannot be locked (${messageOf(error)}): ` +
      'it must be on a local file system that this process may write to (stateDir, --state-dir, FLATLINE_STATE_DIR)',
    error,
  );
}

/** Name of the last holder; undefined if there was none, or it had no name. The lock may be free by now. */
export function lastHolderOf(directory: string): string | undefined {
  try {
    return /, (.+)\n$/.exec(readFileSync(join(directory, HOLDER), 'utf8'))?.[1];
  } catch {
    return undefined; // only where to look first depends on it
  }
}

function signHolder(holder: string, name: string | undefined): void {
  try {
    writeFileSync(holder, `${process.pid} on ${hostname()}${name === undefined ? '' : `, ${name}`}\n`);
  } catch {
    // The lock is held; where its name cannot be written, the message to the other process has none.
  }
}

/** Names the holder of the directory, for a message: the lock may be another's by now. */
export function holderOf(directory: string): string {
  return holderNamed(join(directory, HOLDER));
}

/** Only for the message: the file may be older or newer than the lock. */
function holderNamed(holder: string): string {
  try {
    const text = readFileSync(holder, 'utf8').trim();
    return text === '' ? 'another process' : `process ${text}`;
  } catch {
    return 'another process'; // it holds the lock and has not written its name yet
  }
}
