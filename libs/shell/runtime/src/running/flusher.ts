// Brings the local store up to the committed changelog, in slices between the task's own work.
//
// Owns: the flush under way, when to begin one.      Does not own: what is flushed (CheckpointQueue), the store's form.
//
// Invariants
//   FL1  One flush at a time; a slice that could not be written is written again before the next, if that may help.
//   FL2  What waits is bounded: beyond FLUSH_BACKLOG_FACTOR shares, and beyond FLUSH_BACKLOG_COMMITS times the largest commit
//        that waits, the store is given up until the next start. It keeps its former checkpoint, from which the changelog
//        rolls it forward.
//   FL3  Nothing it does rejects: a flush that fails costs the store, never the task.
import { Retriable } from '@flatline/base';
import type { FlushSlice, PartitionTask } from '@flatline/partition';
import { RetryPause } from '../instance/retry-pause.ts';
import { turn } from '../turn.ts';
import {
  FLUSH_BACKLOG_COMMITS,
  FLUSH_BACKLOG_FACTOR,
  FLUSH_COMMIT_BYTES_MAX,
  FLUSH_INTERVAL_MS,
  RESTORED_BACKLOG_FACTOR,
  RESTORED_WAITING_FACTOR,
} from '../instance/limits.ts';
import type { PipelinePorts } from '../instance/settings.ts';
import type { TaskStore } from './task-store.ts';

export interface FlusherParts {
  readonly store: TaskStore;
  readonly task: PartitionTask;
  readonly ports: Pick<PipelinePorts, 'clock' | 'log' | 'turns'>;
  /** This task's present share of the memory that committed blocks may wait in. */
  readonly flushBytes: () => number;
  /** Puts and removals per write. */
  readonly flushSlice: number;
}

export class Flusher {
  readonly #parts: FlusherParts;
  #running: Promise<void> | undefined;
  #lastFlushMs: number;
  #abandoned = false;
  #closing = false;
  /** The store does not take the slice under way. */
  #isStalled = false;

  constructor(parts: FlusherParts) {
    this.#parts = parts;
    this.#lastFlushMs = parts.ports.clock.monotonicMs();
  }

  /** Set once the store was given up for this run. */
  get abandoned(): boolean {
    return this.#abandoned || this.#parts.store.isGone;
  }

  /** Begins a flush in the background where one is due; called after each commit. */
  offer(): void {
    this.#offer(1, this.#hasWaited());
  }

  /** The same after each block that is restored: the task is waited for, not the store, and both need this thread. */
  offerRestored(): void {
    this.#offer(RESTORED_BACKLOG_FACTOR, false);
  }

  /** Whether so much waits behind a flush under way that reading more of the changelog would cost the store. */
  get isBehind(): boolean {
    if (this.#running === undefined || this.abandoned || this.#isStalled) return false;
    return this.#parts.task.checkpoints.pendingBytes > this.#parts.flushBytes() * RESTORED_WAITING_FACTOR;
  }

  #offer(shares: number, hasWaited: boolean): void {
    const { checkpoints } = this.#parts.task;
    const { pendingBytes } = checkpoints;
    const share = this.#parts.flushBytes();
    if (this.abandoned) checkpoints.discard();
    else if (pendingBytes > this.#backlogBytes(share)) this.#abandon('more waits for the local store than is kept');
    else if (this.#running === undefined && (pendingBytes >= share * shares || hasWaited)) this.#begin();
  }

  /** One commit alone is no backlog: with many tasks a share is smaller than what one of them may cut. */
  #backlogBytes(share: number): number {
    const largest = FLUSH_BACKLOG_COMMITS * this.#parts.task.checkpoints.largestBytes;
    return Math.max(share * FLUSH_BACKLOG_FACTOR, Math.min(largest, FLUSH_COMMIT_BYTES_MAX));
  }

  /** Flushes what is pending and waits for it. */
  async finish(): Promise<void> {
    this.#closing = true;
    await this.#running;
    if (!this.abandoned) this.#begin();
    await this.#running;
  }

  /** Waits for the slice under way and writes no more. */
  async stop(): Promise<void> {
    this.#closing = true;
    this.#abandoned = true;
    await this.#running;
  }

  #hasWaited(): boolean {
    return this.#parts.ports.clock.monotonicMs() - this.#lastFlushMs >= FLUSH_INTERVAL_MS;
  }

  /** Where anything is pending: a block may be a claim, or a part of a commit, and leave nothing to flush. */
  #begin(): void {
    const slices = this.#parts.task.checkpoints.flush(this.#parts.flushSlice);
    if (slices === undefined) return;
    this.#running = this.#flush(slices).then(() => {
      this.#lastFlushMs = this.#parts.ports.clock.monotonicMs();
      this.#running = undefined;
    });
  }

  async #flush(slices: Iterator<FlushSlice, undefined>): Promise<void> {
    try {
      for (let next = slices.next(); next.done !== true && !this.#abandoned; next = slices.next()) {
        if (isForStore(next.value)) await this.#write(next.value);
        await turn(this.#parts.ports.turns);
      }
    } catch (error) {
      this.#abandon('the local store cannot be brought up to date', error);
    }
  }

  async #write(slice: FlushSlice): Promise<void> {
    const retryPause = new RetryPause(this.#parts.ports.clock);
    while (!this.#abandoned) {
      try {
        this.#parts.store.write(slice.changes, slice.checkpoint);
        this.#isStalled = false;
        return;
      } catch (error) {
        if (this.#closing || !(error instanceof Retriable)) {
          this.#abandon(
            this.#closing ? 'the local store cannot be written while closing' : 'the local store failed',
            error,
          );
          return;
        }
        this.#isStalled = true;
        this.#parts.ports.log.warn('local store not written; trying again', { error });
        await retryPause.pause();
      }
    }
  }

  #abandon(why: string, error?: unknown): void {
    this.#abandoned = true;
    this.#parts.task.checkpoints.discard();
    this.#parts.ports.log.error(`${why}; the changelog restores it at the next start`, { error });
  }
}

/** The other slices only give the event loop its turn. */
function isForStore({ changes: { puts, removals }, checkpoint }: FlushSlice): boolean {
  return puts.length > 0 || removals.length > 0 || checkpoint !== undefined;
}
