// Holdings of one task on this instance: a standby's state, the local store, the restored state, the writer, the loop.
//
// Owns: each of these, and its release.
// Does not own: how it is brought up (task-start.ts), when it ends (TaskRunner).
//
// Invariants
//   TH1  Each part is released, whatever another one throws.
//   TH2  No more is read, then the rest is committed, then the writer is closed, then the store: a flush needs what was
//        committed.
import type { PartitionTask } from '@flatline/partition';
import type { TaskContext } from '../task-context.ts';
import type { TaskRestoration } from '../restoring/task-restoration.ts';
import type { Restored } from '../restoring/restoring.ts';
import type { Standby } from '../restoring/standby.ts';
import type { Committer } from '../committing/committer.ts';
import { contained } from './contained.ts';
import { StoreDrops } from '../local-store/store-drops.ts';
import type { TaskLoop } from './task-loop.ts';
import { TaskStore } from '../local-store/task-store.ts';

/** The state at the last commit, and the writer of the next one. */
export interface RestoredTask {
  readonly restored: Restored;
  readonly committer: Committer;
}

export class TaskHoldings {
  readonly #context: TaskContext;
  readonly #drops: StoreDrops;
  /** Until its state is taken. */
  #standby: Standby | undefined;
  #store: TaskStore | undefined;
  /** Under way: whoever asks for it next waits, too. */
  #closingStore: Promise<void> | undefined;
  /** While restoring. */
  #reading: TaskRestoration | undefined;
  #task: RestoredTask | undefined;
  #loop: TaskLoop | undefined;

  /** `standby`: this instance's of the partition; the task goes on from what that has read. */
  constructor(context: TaskContext, standby: Standby | undefined) {
    this.#context = context;
    this.#standby = standby;
    this.#drops = standby?.drops ?? new StoreDrops(context);
  }

  /** With the restoration of the standby that had the store open, if there was one. @throws StateInUse */
  async openStore(
    abandon: AbortSignal,
  ): Promise<{ readonly store: TaskStore; readonly restoration: TaskRestoration | undefined }> {
    const standby = this.#standby;
    this.#standby = undefined;
    const warm = await standby?.handOver(abandon);
    const store = warm?.store ?? (await TaskStore.open({ context: this.#context, drops: this.#drops }));
    this.#store = store;
    return { store, restoration: warm?.restoration };
  }

  /** A restoration of the changelog is being read. */
  read(restoration: TaskRestoration): void {
    this.#reading = restoration;
  }

  adopt(task: RestoredTask): void {
    this.#reading = undefined;
    this.#task = task;
  }

  run(loop: TaskLoop): void {
    this.#loop = loop;
  }

  /** Which invariants of the state do not hold, in words. For checks. */
  inspect(): readonly string[] {
    return this.task?.inspect() ?? this.#reading?.inspect() ?? [];
  }

  /** undefined before the first restoring has ended. */
  get task(): PartitionTask | undefined {
    return this.#task?.restored.task;
  }

  get committer(): Committer | undefined {
    return this.#task?.committer;
  }

  get loop(): TaskLoop | undefined {
    return this.#loop;
  }

  get storesDropped(): number {
    return this.#drops.count;
  }

  /** Trouble of the local store, without which the task goes on (R2). */
  get storeTrouble(): string | undefined {
    return this.#store?.trouble;
  }

  /** Obstacle to reading the changelog while restoring (X5). */
  get obstacle(): string | undefined {
    return this.#reading?.obstacle;
  }

  /** Never rejects. The task's state can still be shown, until `forget`. */
  async release(cleanly: boolean): Promise<void> {
    await this.#contained('the last commit', this.#loop?.stop());
    if (cleanly) await this.#contained('committing the rest', this.#loop?.commitRest());
    await this.#contained('closing the writer', this.#task?.committer.close());
    const flusher = this.#task?.restored.flusher;
    await this.#contained('flushing', cleanly ? flusher?.finish() : flusher?.stop());
    await this.#contained('closing the local store', this.releaseStore());
    await this.#contained('closing the standby', this.#standby?.close(cleanly));
  }

  /** Brings the store up to now and leaves it to another process; the task runs on without one. Never rejects. */
  async giveUpStore(): Promise<void> {
    await this.#contained('flushing', this.#task?.restored.flusher.finish());
    await this.#contained('closing the local store', this.releaseStore());
  }

  async releaseStore(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    if (store !== undefined) this.#closingStore = store.close();
    await this.#closingStore;
    this.#closingStore = undefined;
  }

  /** After `release`: the state may be half changed. */
  forget(): void {
    this.#loop = undefined;
    this.#task = undefined;
  }

  #contained(doing: string, work: Promise<void> | undefined): Promise<void> {
    return contained(this.#context, doing, work);
  }
}
