// The local stores of one pipeline on one machine: <stateDir>/<application>.<pipeline>/<partition>/.
//
// Owns: the pipeline's directory, or as a worker none of it, and the directories of the stores that are open; each by a lock
// that ends with this process.
//
// Invariants
//   LO1  One process has a store open. Workers share the pipeline's directory, which is their supervisor's, so a partition that
//        moves between them keeps its store.
import { assert, type DurationMs, Misconfigured, StateInUse } from '@flatline/base';
import {
  type LocalStore,
  type OpenedStore,
  type StateStore,
  type StateStores,
  type StoreCheckpoint,
  type StoreDrop,
  StoreOccupied,
} from '@flatline/ports';
import { patiently, systemClock } from '@flatline/system';
import { mkdir, readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { currentBootId } from './boot-id.ts';
import { DirectoryLock, holderOf, lastHolderOf } from './directory-lock.ts';
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
  /** Number of this worker, the same after a restart; undefined: this process is the only one. */
  readonly worker?: number | undefined;
}

export interface DirectoryHold {
  release(): void;
}

/** How long a store is waited for: a sibling gives it up as soon as the group has told it that the partition moves away. */
const HELD_PATIENCE = { firstMs: 5, mostMs: 50, limitMs: 3_000 } satisfies Record<string, DurationMs>;

/** Legal in a topic's name, and nothing a path could be made to mean. */
const LEGAL_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;
const PARTITION_NAME = /^(0|[1-9][0-9]*)$/;

export class LmdbStores implements StateStores {
  readonly #directory: string;
  /** undefined: it is the supervisor's. */
  readonly #lock: DirectoryLock | undefined;
  readonly #worker: number | undefined;
  readonly #bootId: string | undefined;
  readonly #open = new Map<number, StateStore>();
  readonly #dropLog: DropLog;

  private constructor(directory: string, lock: DirectoryLock | undefined, options: LmdbStoresOptions) {
    this.#directory = directory;
    this.#lock = lock;
    this.#worker = options.worker;
    this.#bootId = 'bootId' in options ? options.bootId : currentBootId();
    this.#dropLog = new DropLog(directory);
  }

  /** Takes the pipeline's directory for this process. @throws StateInUse where another one has it, Misconfigured where it cannot be used. */
  static open(options: LmdbStoresOptions): LmdbStores {
    const directory = pipelineDirectory(options);
    const lock = options.worker === undefined ? DirectoryLock.acquire(directory) : undefined;
    return new LmdbStores(directory, lock, options);
  }

  /** The pipeline's directory without its stores: for the supervisor of the workers that open them. @throws as `open` */
  static hold(options: LmdbStoresOptions): DirectoryHold {
    return DirectoryLock.acquire(pipelineDirectory(options));
  }

  get isShared(): boolean {
    return this.#worker !== undefined;
  }

  /** @throws StoreOccupied, Retriable where the disk is full, Fatal where it cannot be used. */
  async open(partition: number, { waits } = { waits: true }): Promise<OpenedStore> {
    assert(Number.isInteger(partition) && partition >= 0, 'a partition is a number', { partition });
    assert(!this.#open.has(partition), 'a store is opened once', { partition });
    const directory = this.#directoryOf(partition);
    try {
      await mkdir(directory, { recursive: true });
    } catch (error) {
      throw fileSystemError(directory, error);
    }
    const lock = await this.#lockOf(partition, waits);
    try {
      const opened = LmdbStore.open({
        directory,
        bootId: this.#bootId,
        onClose: () => {
          this.#open.delete(partition);
          lock.release();
        },
      });
      this.#open.set(partition, opened.store);
      return opened;
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  /** Without those that cannot be inspected: opening them tells why. @throws Retriable, Fatal */
  async localCheckpoints(): Promise<readonly LocalStore[]> {
    const found: LocalStore[] = [];
    for (const name of await this.#names()) {
      if (!PARTITION_NAME.test(name)) continue;
      const partition = Number(name);
      const store = this.#localStore(partition);
      if (store !== undefined) found.push(store);
    }
    return found.sort((a, b) => a.partition - b.partition);
  }

  noteDrop(drop: StoreDrop): void {
    this.#dropLog.note(drop);
  }

  drops(): readonly StoreDrop[] {
    return this.#dropLog.drops;
  }

  /** Closes the stores still open and gives the directory back. @throws what the first of them throws, once that is done */
  async close(): Promise<void> {
    const closed = await Promise.allSettled([...this.#open.values()].map((store) => store.close()));
    this.#lock?.release();
    for (const each of closed) if (each.status === 'rejected') throw each.reason;
  }

  /** Waits for a sibling, or for what a supervisor that was killed has left behind. @throws StoreOccupied */
  async #lockOf(partition: number, waits: boolean): Promise<DirectoryLock> {
    const directory = this.#directoryOf(partition);
    const patience = waits ? HELD_PATIENCE : { ...HELD_PATIENCE, limitMs: 0 };
    try {
      return await patiently(
        systemClock,
        patience,
        () => Promise.resolve().then(() => DirectoryLock.acquire(directory, this.#name)),
        (error) => error instanceof StateInUse,
      );
    } catch (error) {
      throw error instanceof StateInUse
        ? new StoreOccupied(`${holderOf(directory)} has the local store open`, error)
        : error;
    }
  }

  get #name(): string | undefined {
    return this.#worker === undefined ? undefined : `worker ${this.#worker}`;
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.#directory);
    } catch (error) {
      throw fileSystemError(this.#directory, error);
    }
  }

  #localStore(partition: number): LocalStore | undefined {
    try {
      const changelogPosition = this.#checkpointOf(partition)?.changelogPosition;
      if (changelogPosition === undefined) return undefined;
      const isSiblings = this.isShared && lastHolderOf(this.#directoryOf(partition)) !== this.#name;
      return {
        partition,
        changelogPosition,
        writtenAt: this.#filesOf(partition).writtenAt,
        ...(isSiblings && { isSiblings }),
      };
    } catch {
      return undefined; // its opening says why
    }
  }

  #checkpointOf(partition: number): StoreCheckpoint | undefined {
    const store = this.#open.get(partition);
    if (store !== undefined) return store.state()?.checkpoint;
    const found = this.#filesOf(partition).look();
    return found.kind === 'trusted' ? found.checkpoint : undefined;
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
    if (!LEGAL_NAME.test(name))
      throw new Misconfigured(
        `${setting} ${JSON.stringify(name)} cannot name a directory: letters, digits, ".", "_" and "-" only`,
      );
  return join(resolve(options.stateDir), `${options.application}.${options.pipeline}`);
}
