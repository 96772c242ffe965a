// The local stores of one pipeline on one machine: <stateDir>/<application>.<pipeline>/<partition>/.
//
// Owns: the pipeline's directory, by a lock that ends with this process, and which stores are open.
import { assert, Fatal } from '@flatline/base';
import type { LocalStore, OpenedStore, StateStore, StateStores, StoreCheckpoint, StoreDrop } from '@flatline/task';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { currentBootId } from './boot-id.ts';
import { DirectoryLock } from './directory-lock.ts';
import { DropLog } from './drop-log.ts';
import { fileSystemError } from './file-system-error.ts';
import { LmdbStore } from './lmdb-store.ts';
import { StoreFiles } from './store-files.ts';

export interface LmdbStoresOptions {
  readonly stateDir: string;
  readonly application: string;
  readonly pipeline: string;
  /** Names this boot of the machine; undefined: it has no name, and no unclean store is trusted. Default: asks the machine. */
  readonly bootId?: string | undefined;
}

/** Legal in a topic's name, and nothing a path could be made to mean. */
const legalName = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const partitionName = /^(0|[1-9][0-9]*)$/;

export class LmdbStores implements StateStores {
  readonly #directory: string;
  readonly #lock: DirectoryLock;
  readonly #bootId: string | undefined;
  readonly #open = new Map<number, StateStore>();
  readonly #dropLog: DropLog;

  private constructor(directory: string, lock: DirectoryLock, bootId: string | undefined) {
    this.#directory = directory;
    this.#lock = lock;
    this.#bootId = bootId;
    this.#dropLog = new DropLog(directory);
  }

  /** Takes the pipeline's directory for this process. @throws StateInUse where another one has it, Fatal where it cannot be used. */
  static open(options: LmdbStoresOptions): LmdbStores {
    const directory = pipelineDirectory(options);
    const bootId = 'bootId' in options ? options.bootId : currentBootId();
    return new LmdbStores(directory, DirectoryLock.acquire(directory), bootId);
  }

  /** @throws Retriable where the disk is full, Fatal where it cannot be used. */
  async open(partition: number): Promise<OpenedStore> {
    assert(Number.isInteger(partition) && partition >= 0, 'a partition is a number', { partition });
    assert(!this.#open.has(partition), 'a store is opened once', { partition });
    const directory = this.#directoryOf(partition);
    try {
      await mkdir(directory, { recursive: true });
    } catch (error) {
      throw fileSystemError(directory, error);
    }
    const opened = LmdbStore.open({
      directory,
      bootId: this.#bootId,
      onClose: () => this.#open.delete(partition),
    });
    this.#open.set(partition, opened.store);
    return opened;
  }

  async localCheckpoints(): Promise<readonly LocalStore[]> {
    const found: LocalStore[] = [];
    for (const name of await readdir(this.#directory)) {
      if (!partitionName.test(name)) continue;
      const partition = Number(name);
      const checkpoint = this.#checkpointOf(partition);
      if (checkpoint === undefined) continue;
      const { changelogPosition } = checkpoint;
      found.push({ partition, changelogPosition, writtenAt: this.#filesOf(partition).writtenAt });
    }
    return found.sort((a, b) => a.partition - b.partition);
  }

  noteDrop(drop: StoreDrop): void {
    this.#dropLog.note(drop);
  }

  drops(): readonly StoreDrop[] {
    return this.#dropLog.drops;
  }

  /** Closes the stores still open and gives the directory back. */
  async close(): Promise<void> {
    try {
      for (const store of this.#open.values()) await store.close();
    } finally {
      this.#lock.release();
    }
  }

  #checkpointOf(partition: number): StoreCheckpoint | undefined {
    const store = this.#open.get(partition);
    if (store !== undefined) return store.state()?.checkpoint;
    try {
      const found = this.#filesOf(partition).look();
      return found.kind === 'trusted' ? found.record.checkpoint : undefined;
    } catch (error) {
      throw fileSystemError(this.#directoryOf(partition), error);
    }
  }

  #filesOf(partition: number): StoreFiles {
    return new StoreFiles(this.#directoryOf(partition), this.#bootId);
  }

  #directoryOf(partition: number): string {
    return join(this.#directory, String(partition));
  }
}

function pipelineDirectory(options: LmdbStoresOptions): string {
  for (const [setting, name] of [
    ['application', options.application],
    ['pipeline name', options.pipeline],
  ] as const)
    if (!legalName.test(name))
      throw new Fatal(
        `${setting} ${JSON.stringify(name)} cannot name a directory: letters, digits, ".", "_" and "-" only`,
      );
  return join(resolve(options.stateDir), `${options.application}.${options.pipeline}`);
}
