import type { Millis } from '@flatline/base';
import type { StoreCheckpoint, StoreDistrust } from '@flatline/ports';
import { rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { checkpointKey, decodeCheckpoint } from './checkpoint-record.ts';
import { isSystemError } from './foreign-error.ts';
import { LmdbFile } from './lmdb-file.ts';
import { Damaged } from './lmdb-page.ts';
import { WriteMark } from './write-mark.ts';

export type FoundStore =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'distrusted'; readonly reason: StoreDistrust }
  /** As far as its checkpoint tells; the rows prove themselves when they are scanned. */
  | { readonly kind: 'trusted'; readonly checkpoint: StoreCheckpoint };

/** The files of one store: `state.mdb`, LMDB's lock file, and the write mark `unsynced`. Errors are those of node:fs. */
export class StoreFiles {
  readonly path: string;
  readonly mark: WriteMark;

  constructor(directory: string, bootId: string | undefined) {
    this.path = join(directory, 'state.mdb');
    this.mark = new WriteMark(join(directory, 'unsynced'), bootId);
  }

  /** Changes nothing, and asks nothing of LMDB. */
  look(): FoundStore {
    // LMDB makes its file in two steps: an empty one is none.
    if (this.#size() === 0) return { kind: 'nothing' };
    if (this.mark.state() === 'torn') return { kind: 'distrusted', reason: 'unclean-after-reboot' };
    const file = new LmdbFile(this.path);
    try {
      const checkpoint = readCheckpoint(file);
      return checkpoint === undefined ? { kind: 'nothing' } : { kind: 'trusted', checkpoint };
    } catch (error) {
      return { kind: 'distrusted', reason: reasonOf(error) };
    } finally {
      file.close();
    }
  }

  /** When the store's file was last written to, by the machine's wall clock; 0 where there is none. */
  get writtenAt(): Millis {
    return Math.floor(statSync(this.path, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  }

  /** Makes durable what was written, and takes the mark away. */
  async sync(): Promise<void> {
    if (this.mark.state() === 'clean') return;
    if (this.#size() > 0) {
      const handle = await open(this.path, 'r+');
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
    this.mark.clear();
  }

  remove(): void {
    rmSync(this.path, { force: true });
    rmSync(`${this.path}-lock`, { force: true });
    if (this.mark.state() !== 'clean') this.mark.clear();
  }

  #size(): number {
    return statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
  }
}

function readCheckpoint(file: LmdbFile): StoreCheckpoint | undefined {
  const bytes = file.firstValue(file.header(), checkpointKey);
  return bytes === undefined ? undefined : decodeCheckpoint(bytes);
}

function reasonOf(error: unknown): StoreDistrust {
  if (error instanceof Damaged) return error.reason;
  // The device cannot read what it wrote.
  if (isSystemError(error)) return 'unreadable';
  throw error;
}
