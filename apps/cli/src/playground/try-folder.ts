// The folder of one `flatline try`: `.flatline/try` where it is typed, or `try-2` and so on beside earlier ones.
//
// Owns: the folder, the files written by `write`, the folder of the state.
//
// Invariants
//   TF1  No file of the user is overwritten or removed: the folder is new, and what was changed in it since stays.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { makeStateFolder } from '@flatline/dev-broker';
import { join, relative } from 'node:path';
import { usageFailure } from '../failure.ts';

const FOLDERS_MAX = 20;
/** The processor may still write while it is removed. */
const REMOVAL_TRIES = 5;
const STATE = 'state';
const IGNORED_BY = '.gitignore';

export class TryFolder {
  readonly path: string;
  /** As it is typed in the folder where the command was. */
  readonly typed: string;
  /** The one above it, if it was made for this one. */
  readonly #madeAbove: string | undefined;
  readonly #written = new Map<string, string>();

  private constructor(path: string, typed: string, madeAbove: string | undefined) {
    this.path = path;
    this.typed = typed;
    this.#madeAbove = madeAbove;
  }

  /** @throws CommandFailure where there are too many already */
  static make(folder: string): TryFolder {
    const above = join(folder, '.flatline');
    const isNew = !existsSync(above);
    makeStateFolder({ state: above });
    for (let number = 1; number <= FOLDERS_MAX; number += 1) {
      const path = join(above, number === 1 ? 'try' : `try-${number}`);
      if (!isMade(path)) continue;
      return new TryFolder(path, relative(folder, path), isNew ? above : undefined);
    }
    const last = join(above, `try-${FOLDERS_MAX}`);
    throw usageFailure(`there are ${FOLDERS_MAX} of them already, up to ${last}: remove what you do not need`);
  }

  /** Relative to the configuration in it. */
  get stateDir(): string {
    return STATE;
  }

  /** @returns its path, as it is typed */
  write(name: string, text: string): string {
    writeFileSync(join(this.path, name), text, { flag: 'wx' });
    this.#written.set(name, text);
    return join(this.typed, name);
  }

  /** TF1. Synchronous: it may be the last that this process does. */
  remove(): void {
    rmSync(join(this.path, STATE), { recursive: true, force: true, maxRetries: REMOVAL_TRIES });
    for (const [name, text] of this.#written) {
      const file = join(this.path, name);
      if (existsSync(file) && readFileSync(file, 'utf8') === text) rmSync(file);
    }
    if (existsSync(this.path) && readdirSync(this.path).length === 0) rmdirSync(this.path);
    const above = this.#madeAbove;
    if (above === undefined || !existsSync(above)) return;
    // The file that has it ignored is alone there.
    const left = readdirSync(above);
    if (left.length === 1 && left[0] === IGNORED_BY) rmSync(above, { recursive: true });
  }
}

/** false: something is there, if only since now. */
function isMade(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
