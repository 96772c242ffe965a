// The local store of one partition task on LMDB: rows, and the checkpoint that stands for them.
//
// Owns: the files of its directory, LMDB's environment, the checkpoint as last written.
// Does not own: the directory's lock (LmdbStores), what the rows mean (the task).
//
// Invariants
//   LM1  What is in the file is what `write` was given: each call whole or not at all, also after kill −9.
//   LM2  LMDB never sees a file that was not walked from end to end in this process, or made by it.
//   LM3  The write mark is on disk before LMDB may change the file, and goes only after the file was synced.
//   LM4  After an error of LMDB its environment is closed; the next write opens another.
import { assert, Corrupt, messageOf } from '@flatline/base';
import type {
  OpenedStore,
  StateStore,
  StoreChanges,
  StoreCheckpoint,
  StoredGroup,
  StoreDistrust,
  StoreState,
} from '@flatline/ports';
import { checkpointKey, encodeCheckpoint } from './checkpoint-record.ts';
import { fileSystemError } from './file-system-error.ts';
import { isSystemError } from './foreign-error.ts';
import { LmdbEnvironment } from './lmdb-environment.ts';
import { LmdbFile } from './lmdb-file.ts';
import { Damaged } from './lmdb-page.ts';
import { RowWriter } from './row-writer.ts';
import { StoreFiles } from './store-files.ts';
import { scanRows } from './store-scan.ts';

export interface LmdbStorePlace {
  /** Exists, and is used by this store alone. */
  readonly directory: string;
  /** Names this boot of the machine; undefined: it has no name, and no unclean store is trusted. */
  readonly bootId: string | undefined;
  readonly onClose?: () => void;
}

export class LmdbStore implements StateStore {
  readonly #directory: string;
  readonly #files: StoreFiles;
  readonly #rows = new RowWriter();
  readonly #onClose: (() => void) | undefined;
  #file: LmdbFile | undefined;
  #environment: LmdbEnvironment | undefined;
  #checkpoint: StoreCheckpoint | undefined;
  /** LM2 holds for the file as it is. */
  #proven = true;
  /** Counts changes of the file: a scan does not outlive one. */
  #generation = 0;
  #closed = false;

  private constructor(place: LmdbStorePlace) {
    this.#directory = place.directory;
    this.#files = new StoreFiles(place.directory, place.bootId);
    this.#onClose = place.onClose;
  }

  /** Opens what is there, or an empty store where it is nothing or cannot be trusted (R2). @throws Retriable, Fatal */
  static open(place: LmdbStorePlace): OpenedStore {
    const store = new LmdbStore(place);
    const dropped = store.#atFiles(() => store.#adopt());
    return { store, dropped };
  }

  state(): StoreState | undefined {
    return this.#checkpoint === undefined ? undefined : { checkpoint: this.#checkpoint };
  }

  *scan(): Generator<StoredGroup, void, undefined> {
    assert(!this.#closed, 'a closed store is not scanned');
    const file = this.#file;
    if (file === undefined) return;
    const generation = this.#generation;
    try {
      for (const group of scanRows(file, file.header())) {
        yield group;
        assert(generation === this.#generation, 'a store is not written while it is scanned');
      }
    } catch (error) {
      throw this.#distrusted(error);
    }
    this.#proven = true;
  }

  count(): number {
    const records = this.#file?.header().main.entries ?? 0;
    return this.#checkpoint === undefined ? records : records - 1;
  }

  /** @throws Retriable where the disk is full, Corrupt, Fatal. The store is then as before. */
  write(changes: StoreChanges, checkpoint: StoreCheckpoint | undefined): void {
    assert(!this.#closed, 'a closed store is not written');
    const environment = this.#openEnvironment();
    try {
      environment.transaction((transaction) => {
        this.#rows.apply(changes, transaction);
        if (checkpoint !== undefined) transaction.put(checkpointKey, encodeCheckpoint(checkpoint));
      });
    } catch (error) {
      this.#environment = undefined;
      // With no transaction under way it is done when it returns; what led here says more than its own error would.
      environment.close().catch(() => undefined);
      throw this.#distrusted(error);
    }
    this.#checkpoint = checkpoint ?? this.#checkpoint;
    this.#generation += 1;
    this.#atFiles(() => {
      this.#file ??= new LmdbFile(this.#files.path);
    });
  }

  async wipe(): Promise<void> {
    assert(!this.#closed, 'a closed store is not wiped');
    const environment = this.#environment;
    this.#environment = undefined;
    try {
      await environment?.close();
      this.#discard();
    } catch (error) {
      throw fileSystemError(this.#directory, error);
    }
  }

  /** @throws Retriable, Fatal where the files cannot be synced: they are then dropped. It is closed all the same. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      this.#file?.close();
      await this.#environment?.close();
      await this.#files.sync();
    } catch (error) {
      this.#dropUnsynced();
      throw fileSystemError(this.#directory, error);
    } finally {
      this.#onClose?.();
    }
  }

  /**
   * After an fsync that failed the kernel may have dropped the pages it could not write: what of the file is on the disk is
   * unknown, and the write mark would let it pass until the next boot.
   */
  #dropUnsynced(): void {
    try {
      this.#files.remove();
    } catch {
      // A device that takes nothing any more: the write mark stays, and every row is proven when it is read.
    }
  }

  #adopt(): StoreDistrust | undefined {
    const found = this.#files.look();
    if (found.kind === 'trusted') {
      this.#file = new LmdbFile(this.#files.path);
      this.#checkpoint = found.checkpoint;
      this.#proven = false;
      return undefined;
    }
    this.#discard();
    return found.kind === 'distrusted' ? found.reason : undefined;
  }

  #openEnvironment(): LmdbEnvironment {
    if (this.#environment !== undefined) return this.#environment;
    if (!this.#proven) this.#prove();
    this.#atFiles(() => {
      this.#files.mark.set();
    });
    this.#environment = LmdbEnvironment.open(this.#files.path);
    return this.#environment;
  }

  #prove(): void {
    const scan = this.scan();
    while (scan.next().done !== true);
  }

  /** The store is then empty, and nothing of it is on disk. */
  #discard(): void {
    this.#generation += 1;
    this.#file?.close();
    this.#file = undefined;
    this.#checkpoint = undefined;
    this.#proven = true;
    this.#files.remove();
  }

  #atFiles<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw fileSystemError(this.#directory, error);
    }
  }

  /** Translates damage for the task; returns other errors as they are. */
  #distrusted(error: unknown): unknown {
    if (!(error instanceof Damaged) && !isSystemError(error)) return error;
    return new Corrupt(`store ${this.#files.path}: ${messageOf(error)}`, error);
  }
}
