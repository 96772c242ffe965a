// A standby: a warm copy of one partition that another instance owns, or whose owner is not known yet (a warm start),
// handed over whole when the partition comes here.
//
//   restoring ──▶ following ──▶ ended        (handed over, or closed)
//       ▲             │
//       └─────────────┴──▶ stopped ──▶ ended
//
// It is `restoring` until it has once read to the end of the changelog, and again after it had to drop its state. `stopped`
// is R3 as far as a standby can tell: the task that takes over looks again, from the log's start.
//
// Owns: its store and its restoration, until handed over.
// Does not own: whether there should be one (PipelineInstance).
//
// Invariants
//   SB1  It holds whole commits, in order (K6). Found below the log's start, it drops everything and begins there empty (K5).
//   SB2  It fences no owner, and writes to its local store only.
//   SB3  Its store is closed before `onClosed` is called, or is the one's it was handed over to.
import { type DurationMs, Fatal, type Millis, namedMessageOf, PartitionStopped, Retriable } from '@flatline/base';
import { pause } from '@flatline/system';
import { RetryPause } from '../retry-pause.ts';
import type { LookUp, ShowEntry } from '../look-up.ts';
import { placeInLog, type TaskContext } from '../task-context.ts';
import { Distrusted } from './distrust.ts';
import { TaskRestoration } from './task-restoration.ts';
import { StoreDrops } from '../local-store/store-drops.ts';
import { TaskStore } from '../local-store/task-store.ts';

export type StandbyState = 'restoring' | 'following' | 'stopped' | 'ended';

/** One standby as an operator sees it. */
export interface StandbyStatus {
  readonly pipeline: string;
  readonly partition: number;
  readonly state: StandbyState;
  /** Reason to wait or to have stopped; undefined if all is well. */
  readonly detail: string | undefined;
  /** Partition clock of the newest commit read. */
  readonly clock: Millis;
  readonly liveEntries: number;
  /** Changelog offsets that it is behind; undefined before the changelog's end is known. */
  readonly lag: number | undefined;
  /** Changelog offset below which everything is applied. */
  readonly position: number | undefined;
  /** How often its local state was dropped and read again (R2, K5). */
  readonly storesDropped: number;
}

export interface StandbyParts {
  readonly context: TaskContext;
  /** When it opens its store. */
  readonly storeAfterMs: DurationMs;
  /** It is closed for good; not called for one that was handed over. */
  readonly onClosed: () => void;
  /** Something that ends the process. */
  readonly onFatal: (error: Fatal) => void;
}

/** State handed over; its new owner closes the store. */
export interface WarmState {
  readonly store: TaskStore;
  readonly restoration: TaskRestoration;
}

export class Standby {
  /** Goes on with the task that takes over. */
  readonly drops: StoreDrops;
  readonly #parts: StandbyParts;
  readonly #retryPause: RetryPause;
  /** Ends following. Loading goes on, for the task that takes over. */
  readonly #halt = new AbortController();
  /** Ends loading, too. */
  readonly #abandon = new AbortController();
  #state: StandbyState = 'restoring';
  #detail: string | undefined;
  #store: TaskStore | undefined;
  #restoration: TaskRestoration | undefined;
  #living: Promise<void> | undefined;
  #ending: Promise<void> | undefined;

  constructor(parts: StandbyParts) {
    this.#parts = parts;
    this.drops = new StoreDrops(parts.context);
    this.#retryPause = new RetryPause(parts.context.ports.clock);
  }

  start(): void {
    this.#living = this.#live().catch((error: unknown) => {
      // An error of the mending itself: it ends the standby, not the process (I6), and is not awaited before the end.
      this.#state = 'stopped';
      this.#detail = namedMessageOf(error);
      this.#parts.context.ports.log.error('standby failed', { ...placeInLog(this.#parts.context), error });
    });
  }

  /** Changelog offset below which everything is here; undefined before anything was loaded. */
  get position(): number | undefined {
    return this.#restoration?.position;
  }

  status(): StandbyStatus {
    const restoration = this.#restoration;
    return {
      ...placeInLog(this.#parts.context),
      state: this.#state,
      detail: this.#detail ?? restoration?.obstacle,
      clock: restoration?.last?.clock ?? 0,
      liveEntries: restoration?.task.liveEntries ?? 0,
      lag: restoration?.lag,
      position: restoration?.position,
      storesDropped: this.drops.count,
    };
  }

  /** Returns the key's state as far as the changelog is read; undefined where it cannot be said now. */
  lookUp(key: Uint8Array, show: ShowEntry): LookUp | undefined {
    const restoration = this.#restoration;
    if (this.#state !== 'following' || restoration === undefined) return undefined;
    // Begun with another partition count of the input, which was made again since: keys lay elsewhere. An owner would end (R3).
    const { settings } = this.#parts.context;
    if (restoration.last !== undefined && restoration.last.inputPartitions !== settings.inputPartitions)
      return undefined;
    const look = restoration.look(key);
    // The owner knows what came of it.
    if (look === undefined || look.isDue) return undefined;
    const { entry, clock, position } = look;
    const { partition } = this.#parts.context;
    const entries = entry === undefined ? [] : show(entry, { partition, held: restoration.task.held });
    return { kind: 'found', entries, asOf: { clock, position }, from: 'standby', lag: restoration.lag };
  }

  /** Which invariants of its state do not hold, in words. For checks. */
  inspect(): readonly string[] {
    return this.#restoration?.inspect() ?? [];
  }

  /**
   * Ends the standby and hands over what it holds, once loaded; undefined where that cannot be used. Aborting `abandon` ends the
   * loading early.
   */
  async handOver(abandon: AbortSignal): Promise<WarmState | undefined> {
    if (this.#ending !== undefined) {
      await this.#ending;
      return undefined;
    }
    const giveUp = (): void => {
      this.#abandon.abort();
    };
    abandon.addEventListener('abort', giveUp);
    if (abandon.aborted) giveUp();
    await this.#end();
    abandon.removeEventListener('abort', giveUp);
    const [store, restoration] = [this.#store, this.#restoration];
    this.#store = undefined;
    this.#restoration = undefined;
    if (store !== undefined && restoration !== undefined) return { store, restoration };
    await store?.close();
    return undefined;
  }

  /** Ends the standby; what it has read is flushed first if `cleanly`. Idempotent. */
  close(cleanly: boolean): Promise<void> {
    this.#ending ??= this.#close(cleanly);
    return this.#ending;
  }

  async #close(cleanly: boolean): Promise<void> {
    this.#abandon.abort();
    await this.#end();
    await this.#restoration?.stop(cleanly);
    this.#restoration = undefined;
    await this.#store?.close();
    this.#store = undefined;
    this.#parts.onClosed();
  }

  async #end(): Promise<void> {
    this.#halt.abort();
    await this.#living;
    this.#state = 'ended';
  }

  async #live(): Promise<void> {
    const { context, storeAfterMs } = this.#parts;
    if (storeAfterMs > 0) await pause(context.ports.clock, storeAfterMs, this.#halt.signal);
    while (!this.#halt.signal.aborted && this.#state !== 'stopped') {
      try {
        this.#store ??= await TaskStore.open({ context, drops: this.drops, isStandby: true });
        this.#restoration ??= await TaskRestoration.open(context, this.#store, this.#abandon.signal);
        await this.#restoration.readToEnd(this.#halt.signal);
        this.#followed(this.#restoration);
        await this.#restoration.follow(this.#halt.signal);
      } catch (error) {
        await this.#interrupted(error);
      }
    }
  }

  #followed({ position }: TaskRestoration): void {
    this.#retryPause.reset();
    if (this.#state === 'following') return;
    this.#state = 'following';
    this.#parts.context.ports.log.info('standby follows', { ...placeInLog(this.#parts.context), position });
  }

  async #interrupted(error: unknown): Promise<void> {
    if (error instanceof Retriable) await this.#tryAgain(error);
    else if (error instanceof Distrusted) await this.#beginAgain(error);
    else if (error instanceof PartitionStopped) await this.#stop(error.message);
    else {
      // A defect costs the standby and no more: a task that takes the partition over restores it for itself (I6).
      if (!(error instanceof Fatal))
        this.#parts.context.ports.log.error('standby failed', { ...placeInLog(this.#parts.context), error });
      await this.#stop(error instanceof Fatal ? error.message : namedMessageOf(error));
      if (error instanceof Fatal) this.#parts.onFatal(error);
    }
  }

  async #tryAgain(error: Retriable): Promise<void> {
    if (this.#halt.signal.aborted) return;
    this.#detail = error.message;
    this.#parts.context.ports.log.warn('a standby is interrupted; trying again', {
      ...placeInLog(this.#parts.context),
      error,
    });
    await this.#retryPause.pause(this.#halt.signal);
    this.#restoration?.reopen();
    this.#detail = undefined;
  }

  /** K5, and R2 as far as a standby can tell. */
  async #beginAgain({ reason, message }: Distrusted): Promise<void> {
    const store = this.#store!;
    if (store.state() === undefined && reason !== 'behind-log-start') {
      // Read from the log's start and from nothing else: there is nothing local left to blame.
      await this.#stop(message);
      return;
    }
    await this.#dropRestoration();
    this.#state = 'restoring';
    this.#parts.context.ports.log.warn('standby drops its state and reads the changelog again', {
      ...placeInLog(this.#parts.context),
      reason,
    });
    await store.drop(reason, message);
  }

  async #dropRestoration(): Promise<void> {
    await this.#restoration?.stop(false);
    this.#restoration = undefined;
  }

  async #stop(why: string): Promise<void> {
    await this.#dropRestoration();
    this.#state = 'stopped';
    this.#detail = why;
    this.#parts.context.ports.log.error('standby stopped', { ...placeInLog(this.#parts.context), why });
  }
}
