// The local store of one task or standby, as the runtime uses it: a cache, whose errors cost the cache and nothing else.
//
// Owns: the store, and whether it is still of use.
// Does not own: what a failed read means (TaskRestoration), when a failed write is tried again (Flusher).
//
// Invariants
//   TS1  Errors of the device are logged, counted, and end neither the task nor the process. Only `scan` and
//        `write` throw it: their callers decide.
//   TS2  A store that could not be opened or wiped is as good as none until its partition is opened again: it is not read,
//        and not written.
import { AssertionError, namedMessageOf, StateInUse } from '@flatline/base';
import {
  type StateStore,
  type StoreChanges,
  type StoreCheckpoint,
  type StoredGroup,
  type StoreDistrust,
  StoreOccupied,
  type StoreState,
} from '@flatline/ports';
import { placeInLog, type TaskContext } from '../task-context.ts';
import type { StoreDrops } from './store-drops.ts';

export interface TaskStoreParts {
  readonly context: TaskContext;
  /** Counts the store's drops since its opening. */
  readonly drops: StoreDrops;
  /** True for a standby: it yields a store to its owner, so it waits for none that another process has. */
  readonly isStandby?: boolean;
}

export class TaskStore {
  readonly #parts: TaskStoreParts;
  #store: StateStore | undefined;
  /** Set while the store is of no use, or is not written. */
  #trouble: string | undefined;

  private constructor(parts: TaskStoreParts, store: StateStore | undefined) {
    this.#parts = parts;
    this.#store = store;
  }

  /** @throws StateInUse, and what is no error of the device */
  static async open(parts: TaskStoreParts): Promise<TaskStore> {
    const { context, drops, isStandby = false } = parts;
    const { stores, log } = context.ports;
    try {
      const { store, dropped } = await stores.open(context.partition, { waits: !isStandby });
      if (dropped !== undefined) drops.note(dropped, 'found on opening');
      return new TaskStore(parts, store);
    } catch (error) {
      if (error instanceof StateInUse || error instanceof AssertionError) throw error;
      const none = new TaskStore(parts, undefined);
      if (error instanceof StoreOccupied) {
        const facts = { ...placeInLog(context), why: error.message };
        // Beside its owner a standby has none for as long as it follows: nothing to mend.
        if (isStandby) log.info('standby without a local store', facts);
        else log.warn('another process has the local store; this one goes on without', facts);
        return none;
      }
      none.#failed('local store not opened; the task reads the changelog and goes on without one', error);
      none.#trouble = withoutStore(error);
      return none;
    }
  }

  /** True where there is none to write to. */
  get isGone(): boolean {
    return this.#store === undefined;
  }

  /** Trouble in words for operators; undefined if all is well. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  state(): StoreState | undefined {
    return this.#store?.state();
  }

  /** As the store's own. Its errors are not the task's either: the store is dropped, and that is counted (R2). */
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
      if (this.#store === undefined) return;
      this.#store.write(changes, checkpoint);
      this.#trouble = undefined;
    } catch (error) {
      this.#trouble = `the local store is not written: ${namedMessageOf(error)}. Make room for it, or mend its disk`;
      this.#parts.context.onStoreError();
      throw error;
    }
  }

  /** The store cannot be trusted: it is empty afterwards, one way or another. */
  async drop(reason: StoreDistrust, detail: string): Promise<void> {
    this.#parts.drops.note(reason, detail);
    try {
      await this.#store?.wipe();
    } catch (error) {
      if (error instanceof AssertionError) throw error;
      this.#failed('local store not wiped; it is left alone until the partition is opened again', error);
      this.#trouble = withoutStore(error);
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
    const { context } = this.#parts;
    context.onStoreError();
    context.ports.log.error(what, { ...placeInLog(context), error });
  }
}

function withoutStore(error: unknown): string {
  return (
    `no local store: ${namedMessageOf(error)}. The task goes on, but the next start reads the whole changelog: ` +
    'make room for it, or mend its disk, and start the process again'
  );
}
