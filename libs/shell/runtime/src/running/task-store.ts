// The local store of one task or standby, as the runtime uses it: a cache, whose errors cost the cache and nothing else.
//
// Owns: the store, and whether it is still of use.      Does not own: what a failed read means (Replica), when a failed write
// is tried again (Flusher).
//
// Invariants
//   TS1  What goes wrong with the device is logged, counted, and ends neither the task nor the process. Only `scan` and
//        `write` throw it, to those who decide.
//   TS2  A store that could not be opened or wiped is as good as none until its partition is opened again: it is not read,
//        and not written.
import { AssertionError, StateInUse } from '@flatline/base';
import type {
  StateStore,
  StateStores,
  StoreChanges,
  StoreCheckpoint,
  StoredGroup,
  StoreDistrust,
  StoreState,
} from '@flatline/ports';
import type { RuntimeLog } from '../instance/settings.ts';

export interface TaskStoreParts {
  readonly partition: number;
  readonly ports: { readonly stores: Pick<StateStores, 'open'>; readonly log: RuntimeLog };
  /** For the log. */
  readonly pipeline: string;
  /** Called for each error of the device. */
  readonly onError: () => void;
}

export class TaskStore {
  readonly #parts: TaskStoreParts;
  #store: StateStore | undefined;

  private constructor(parts: TaskStoreParts, store: StateStore | undefined) {
    this.#parts = parts;
    this.#store = store;
  }

  /** @throws StateInUse, and what is no error of the device */
  static async open(
    parts: TaskStoreParts,
  ): Promise<{ readonly store: TaskStore; readonly dropped: StoreDistrust | undefined }> {
    try {
      const { store, dropped } = await parts.ports.stores.open(parts.partition);
      return { store: new TaskStore(parts, store), dropped };
    } catch (error) {
      if (error instanceof StateInUse || error instanceof AssertionError) throw error;
      const none = new TaskStore(parts, undefined);
      none.#failed('local store not opened; the task reads the changelog and goes on without one', error);
      return { store: none, dropped: undefined };
    }
  }

  /** True where there is none to write to. */
  get isGone(): boolean {
    return this.#store === undefined;
  }

  state(): StoreState | undefined {
    return this.#store?.state();
  }

  /** As the store's own. What it throws is no error of the task either: the store is dropped, and that is counted (R2). */
  *scan(): Generator<StoredGroup> {
    if (this.#store === undefined) return;
    try {
      yield* this.#store.scan();
    } catch (error) {
      if (!(error instanceof AssertionError)) this.#failed('local store not read', error);
      throw error;
    }
  }

  /** @throws Retriable, Corrupt, Fatal, once counted: nothing of it is then in the store */
  write(changes: StoreChanges, checkpoint: StoreCheckpoint | undefined): void {
    try {
      this.#store?.write(changes, checkpoint);
    } catch (error) {
      this.#parts.onError();
      throw error;
    }
  }

  /** Empty afterwards, one way or another. */
  async wipe(): Promise<void> {
    try {
      await this.#store?.wipe();
    } catch (error) {
      if (error instanceof AssertionError) throw error;
      this.#failed('local store not wiped; it is left alone until the partition is opened again', error);
      await this.close();
    }
  }

  /** Whatever becomes of it, the partition's store may be opened again. Idempotent. */
  async close(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    try {
      await store?.close();
    } catch (error) {
      this.#failed('local store not closed cleanly; what of it cannot be trusted is dropped at the next start', error);
    }
  }

  #failed(what: string, error: unknown): void {
    const { pipeline, partition, ports, onError } = this.#parts;
    onError();
    ports.log.error(what, { pipeline, partition, error });
  }
}
