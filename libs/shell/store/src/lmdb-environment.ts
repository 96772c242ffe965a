// LMDB itself, behind the few calls a store needs: one environment, synchronous write transactions.
//
// Nothing is read through it but inside a write transaction, so no snapshot is ever held that would keep pages from
// being reused; scans go through LmdbFile. After any error it must be closed: lmdb-js would start its next transaction
// on an environment that LMDB has declared dead, without asking.
import { assert, Corrupt, type Fatal, messageOf, Retriable } from '@flatline/base';
import { open, type RootDatabase } from 'lmdb';
import { statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname } from 'node:path';
import { lmdbCodeOf } from './foreign-error.ts';
import { diskFull, fileSystemError, isDiskFull } from './file-system-error.ts';

/** Address space asked for at first, in bytes. Grows by itself; each step keeps the former mapping until closing. */
const INITIAL_MAP_BYTES = 256 * 1024 * 1024;
/** LMDB's lock file. Only we open the environment (directory-lock.ts), so it is remade at each opening. */
const LOCK_FILE_BYTES = 16 * 1024;
/** LMDB's own codes are negative and within this range; positive ones are errno. */
const LMDB_ERROR_MAX = -30700;
const LMDB_ERROR_MIN = -30800;
/** By errno, which is all lmdb-js hands on. */
const { ENOSPC, EDQUOT, EFBIG, EIO, EAGAIN, ENOMEM, EMFILE, ENFILE } = constants.errno;
const fullErrnos: readonly number[] = [ENOSPC, EDQUOT, EFBIG];
const passingErrnos: readonly number[] = [EIO, EAGAIN, ENOMEM, EMFILE, ENFILE];

export interface WriteTransaction {
  /** Both arrays are read before it returns. */
  put(key: Uint8Array, value: Uint8Array): void;
  remove(key: Uint8Array): void;
}

export class LmdbEnvironment {
  readonly #path: string;
  readonly #root: RootDatabase<Uint8Array, Uint8Array>;

  private constructor(path: string, root: RootDatabase<Uint8Array, Uint8Array>) {
    this.#path = path;
    this.#root = root;
  }

  /** Opens or creates the file at `path`. @throws Retriable, Corrupt, Fatal */
  static open(path: string): LmdbEnvironment {
    try {
      // LMDB maps its lock file sparse: on a full disk the first touch would be a SIGBUS. Written, it has its blocks.
      writeFileSync(`${path}-lock`, new Uint8Array(LOCK_FILE_BYTES));
    } catch (error) {
      throw fileSystemError(dirname(path), error);
    }
    try {
      return new LmdbEnvironment(path, openRoot(path));
    } catch (error) {
      throw lmdbError(path, error);
    }
  }

  /** Runs `work` in one transaction: all of it or, where anything throws, nothing. @throws Retriable, Corrupt, Fatal */
  transaction(work: (transaction: WriteTransaction) => void): void {
    const root = this.#root;
    try {
      root.transactionSync(() => {
        work({
          put: (key, value) => void root.put(key, value),
          remove: (key) => void root.remove(key),
        });
      });
    } catch (error) {
      throw lmdbCodeOf(error) === undefined ? error : lmdbError(this.#path, error);
    }
  }

  async close(): Promise<void> {
    await this.#root.close();
  }
}

function openRoot(path: string): RootDatabase<Uint8Array, Uint8Array> {
  return open<Uint8Array, Uint8Array>({
    path,
    noSubdir: true,
    encoding: 'binary',
    keyEncoding: 'binary',
    // The changelog is the truth: what a power failure tears is dropped and read again (write-mark.ts).
    noSync: true,
    mapSize: Math.max(INITIAL_MAP_BYTES, 2 * sizeOf(path)),
  });
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function lmdbError(path: string, error: unknown): Retriable | Corrupt | Fatal {
  const directory = dirname(path);
  const code = lmdbCodeOf(error);
  if (code === undefined) return fileSystemError(directory, error);
  assert(code !== 0, 'LMDB failed without an error', { path });
  if (fullErrnos.includes(code) || isDiskFull(directory)) return diskFull(directory, error);
  if (code <= LMDB_ERROR_MAX && code >= LMDB_ERROR_MIN) return new Corrupt(`store ${path}: ${messageOf(error)}`, error);
  if (passingErrnos.includes(code)) return new Retriable(`store ${path}: ${messageOf(error)}`, error);
  return fileSystemError(directory, error);
}
