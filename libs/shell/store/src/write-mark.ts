// The mark that lies beside a store's file while the file holds writes that were not synced.
//
// A file of its own, not a record in the store: it must be on disk before the first unsynced page may be, and it must
// be readable without touching pages that a power failure may have torn.
import { closeSync, fsyncSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from './foreign-error.ts';

/** 'unclean': of this boot, so the kernel still has every page; 'torn': of another boot, or of one we cannot name. */
export type WriteMarkState = 'clean' | 'unclean' | 'torn';

const UNKNOWN_BOOT = 'unknown boot';

export class WriteMark {
  readonly #path: string;
  readonly #bootId: string | undefined;

  constructor(path: string, bootId: string | undefined) {
    this.#path = path;
    this.#bootId = bootId;
  }

  state(): WriteMarkState {
    const written = this.#read();
    if (written === undefined) return 'clean';
    return this.#bootId !== undefined && written === this.#bootId ? 'unclean' : 'torn';
  }

  /** On disk when it returns. */
  set(): void {
    if (this.#read() === (this.#bootId ?? UNKNOWN_BOOT)) return;
    const descriptor = openSync(this.#path, 'w');
    try {
      writeFileSync(descriptor, this.#bootId ?? UNKNOWN_BOOT);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    syncDirectory(dirname(this.#path));
  }

  /** Only after the store's file was synced. */
  clear(): void {
    rmSync(this.#path, { force: true });
    syncDirectory(dirname(this.#path));
  }

  #read(): string | undefined {
    try {
      return readFileSync(this.#path, 'utf8');
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }
}

/** Makes names created or removed in a directory durable. Windows has no such call, and journals them. */
function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
