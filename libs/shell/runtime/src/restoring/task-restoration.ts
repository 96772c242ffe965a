// The state of one partition as its changelog tells it: the local store, then whole commits, as far as has been read.
// A task being restored is one, read to its claim; a standby is one that is read on and on.
//
// Owns: the task being rebuilt, the reading of its changelog, the flushing of what was read.
// Does not own: the store's opening and closing, the fence, when to stop reading.
//
// Invariants
//   RP1  Whole commits, in order, each once: an interrupted reading goes on where it stood (K6).
//   RP2  One that finds itself below the log's start says so (Distrusted) and is of no further use (K5).
import { MalformedBytes } from '@flatline/base';
import { type CommitHeader, type Look, PartitionTask, Restoration } from '@flatline/partition';
import { BelowLogStart, ChangelogTail } from './changelog-tail.ts';
import type { Heard } from '../proof/fetch-proof.ts';
import { Flusher } from '../local-store/flusher.ts';
import { kindOfLog, otherKind } from '../log-id.ts';
import type { TaskContext } from '../task-context.ts';
import type { TaskStore } from '../local-store/task-store.ts';
import { brokenLog, Distrusted } from './distrust.ts';
import { loadStore, type StorePosition } from './store-load.ts';
import { turn } from '../turn.ts';
import { WorkSlice } from '../work-slice.ts';

interface Restoring {
  readonly task: PartitionTask;
  readonly restoration: Restoration;
  readonly from: StorePosition;
}

export class TaskRestoration {
  readonly task: PartitionTask;
  readonly flusher: Flusher;
  readonly #context: TaskContext;
  readonly #restoration: Restoration;
  readonly #from: StorePosition;
  readonly #tail: ChangelogTail;
  /** A task waits for what is read. */
  #isAwaited = false;
  /** The newest claim that was read. */
  #claim: { readonly offset: number; readonly id: string } | undefined;

  private constructor(context: TaskContext, store: TaskStore, restoring: Restoring) {
    const { task, restoration, from } = restoring;
    this.#context = context;
    this.task = task;
    this.#restoration = restoration;
    this.#from = from;
    this.flusher = new Flusher({ context, store, task });
    this.#tail = new ChangelogTail(context.ports, context.changelog, from.readFrom);
  }

  /**
   * Loads what the local store holds. Reading goes on from there, or from the log's start. @throws Distrusted, Retriable, also
   * once `abandon` is aborted
   */
  static async open(context: TaskContext, store: TaskStore, abandon: AbortSignal): Promise<TaskRestoration> {
    const task = new PartitionTask(context.taskOptions);
    const restoration = new Restoration(task.table, task.changelog, task.checkpoints);
    const from = await loadStore(context, store, restoration, abandon);
    return new TaskRestoration(context, store, { task, restoration, from });
  }

  /** Header of the newest whole commit, undefined before the first. */
  get last(): CommitHeader | undefined {
    return this.#restoration.last;
  }

  /** True if it began with the content of the local store. */
  get isStored(): boolean {
    return this.#from.isStored;
  }

  /** Changelog offset below which everything is here. */
  get position(): number {
    return Math.max(this.#from.position, this.#tail.position);
  }

  /** Changelog offsets up to the last stable one, as of the newest answer; undefined before the first. */
  get lag(): number | undefined {
    return this.#tail.lag;
  }

  /** Obstacle to reading the changelog (X5). */
  get obstacle(): string | undefined {
    return this.#tail.obstacle;
  }

  /** The newest block as the broker stamped it, undefined where it does not stamp. */
  get heard(): Heard | undefined {
    return this.#tail.heard;
  }

  get logStartOffset(): number {
    return this.#tail.logStartOffset;
  }

  /** As the newest whole commit left it; undefined before the first, between two, and while the local store was further. */
  look(key: Uint8Array): Look | undefined {
    const { last } = this;
    if (last === undefined || !this.#restoration.isWhole) return undefined;
    return this.task.lookRestored(key, last);
  }

  /** Reads to the end as a request sent now sees it. @throws Distrusted, PartitionStopped, Retriable, also once `abandon` is aborted. */
  readToEnd(abandon: AbortSignal): Promise<void> {
    this.#isAwaited = true;
    return this.#reading(() => this.#tail.readToEnd(this.#take, abandon));
  }

  /** Reads until everything below `offset` is read. @throws as `readToEnd` */
  readTo(offset: number, abandon: AbortSignal): Promise<void> {
    this.#isAwaited = true;
    return this.#reading(() => this.#tail.readTo(offset, this.#take, abandon));
  }

  /** Reads on and on until `halt` is aborted. After Retriable it may be called again. @throws as `readToEnd` */
  follow(halt: AbortSignal): Promise<void> {
    this.#isAwaited = false;
    this.flusher.offer();
    return this.#reading(() => this.#tail.follow(this.#take, halt));
  }

  /** After Retriable: reads on where it stands. */
  reopen(): void {
    this.#tail.reopen();
  }

  /** Checks that the log holds the commit at which the local store stood, or one that follows it (R2). @throws Distrusted */
  checkLineage(): void {
    const { lineage, position } = this.#from;
    if (!lineage.isProven) throw new Distrusted('other-log', `the log has no commit at ${position - 1}`);
  }

  /** True if this very claim was read where it was written. */
  standsAt({ claimOffset, claimId }: { readonly claimOffset: number; readonly claimId: string }): boolean {
    return this.#claim?.offset === claimOffset && this.#claim.id === claimId;
  }

  /** Makes up the digests of what was read, in slices: `check` has little left to do then. */
  async digest(): Promise<void> {
    const { ports, bounds } = this.#context;
    while (!this.#restoration.digest(bounds.loadSlice)) await turn(ports.turns);
  }

  /** Compares what was rebuilt with the last header (R1). @throws Distrusted */
  check(): void {
    const disagreement = this.#restoration.finish();
    if (disagreement !== undefined) throw new Distrusted('checksum', disagreement);
  }

  /** Which invariants of the task do not hold, in words. For checks. */
  inspect(): readonly string[] {
    return [...this.#restoration.inspect(), ...this.task.inspect()];
  }

  /** Reads no more; flushing goes on, for the task that runs from here. */
  stopReading(): void {
    this.#tail.close();
  }

  /** Reads and flushes no more; what was read is flushed first if `cleanly`. */
  async stop(cleanly: boolean): Promise<void> {
    this.#tail.close();
    if (cleanly) await this.flusher.finish();
    else await this.flusher.stop();
  }

  readonly #take = async (bytes: Uint8Array, offset: number): Promise<boolean> => {
    if (this.#isNews(bytes, offset)) await this.#apply(bytes, offset);
    // A task is waited for, not the store, and both need this thread.
    if (!this.#isAwaited) this.flusher.offer();
    return true;
  };

  /** False for the block that proves that the log is the store's. */
  #isNews(bytes: Uint8Array, offset: number): boolean {
    const found = this.#malformedStops(offset, () => this.#from.lineage.look(bytes, offset));
    if (found === 'foreign' || found === 'none')
      throw new Distrusted(
        found === 'foreign' ? 'given-up' : 'other-log',
        `offset ${offset} is not of the log the store was made of`,
      );
    if (found === 'lost')
      throw brokenLog(this.#context, `offset ${offset} does not hold the commit that the local store stands at`);
    return found === 'after';
  }

  async #apply(bytes: Uint8Array, offset: number): Promise<void> {
    const step = this.#malformedStops(offset, () => this.#restoration.take(bytes, offset));
    if (step.kind === 'broken') {
      const isForeign = this.#malformedStops(offset, () => this.#from.lineage.isForeign(bytes));
      throw new Distrusted(isForeign ? 'given-up' : 'other-log', `offset ${offset}: ${step.why}`);
    }
    if (step.kind === 'claim') this.#claim = { offset, id: step.claim.claimId };
    if (step.kind !== 'commit') return;
    this.#checkKind(step.header);
    await this.#applyCommit(offset);
    this.#from.lineage.followed();
  }

  /** Before anything of it is applied (I4). */
  #checkKind({ logId }: CommitHeader): void {
    const { name, kind, changelogTopic } = this.#context.settings;
    const kept = kindOfLog(logId);
    if (kind !== undefined && kept !== undefined && kept !== kind)
      throw otherKind(name, kind, `changelog ${changelogTopic}`, kept);
  }

  /** Applies a commit to its end, even where the wait was given up: a commit is applied whole. */
  async #applyCommit(offset: number): Promise<void> {
    const slice = new WorkSlice(this.#context.ports);
    const applyNext = (): number => this.#malformedStops(offset, () => this.#restoration.applyNext());
    for (let bytes = applyNext(); bytes > 0; bytes = applyNext()) if (slice.isOver(bytes)) await slice.next();
  }

  /** @throws PartitionStopped (R3) where the bytes are no block. */
  #malformedStops<T>(offset: number, read: () => T): T {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof MalformedBytes)) throw error;
      throw brokenLog(this.#context, `offset ${offset}: ${error.message}`);
    }
  }

  async #reading(read: () => Promise<unknown>): Promise<void> {
    try {
      await read();
    } catch (error) {
      throw error instanceof BelowLogStart ? new Distrusted('behind-log-start', error.message) : error;
    }
  }
}
