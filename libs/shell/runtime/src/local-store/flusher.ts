// Brings the local store up to the committed changelog, in slices between the task's own work.
//
// Owns: the flush under way, when to begin one.
// Does not own: what is flushed (Checkpoints), the store's form.
//
// Invariants
//   FL1  One flush at a time; a slice that could not be written is written again before the next, if that may help.
//   FL2  Nothing it does rejects: a flush that fails costs the store, never the task.
import { Retriable } from '@flatline/base';
import type { FlushSlice, PartitionTask } from '@flatline/partition';
import { RetryPause } from '../retry-pause.ts';
import { turn } from '../turn.ts';
import type { TaskContext } from '../task-context.ts';
import type { TaskStore } from './task-store.ts';

interface FlusherParts {
  readonly context: TaskContext;
  readonly store: TaskStore;
  readonly task: PartitionTask;
}

export class Flusher {
  readonly #parts: FlusherParts;
  #underWay: Promise<void> | undefined;
  /** Rest of a flush that waits for a commit. */
  #waiting: Iterator<FlushSlice, undefined> | undefined;
  #lastFlushMs: number;
  #abandoned = false;
  #closing = false;

  constructor(parts: FlusherParts) {
    this.#parts = parts;
    this.#lastFlushMs = parts.context.ports.clock.monotonicMs();
  }

  /** Set once the store was given up, until the partition is opened again. */
  get abandoned(): boolean {
    return this.#abandoned || this.#parts.store.isGone;
  }

  /** Begins a flush in the background where one is due, or goes on with one that has waited; called after each commit. */
  offer(): void {
    const { checkpoints } = this.#parts.task;
    if (this.abandoned) checkpoints.discard();
    else if (this.#underWay !== undefined) return;
    else if (this.#waiting !== undefined) this.#goOn(this.#waiting);
    else if (checkpoints.waitingBytes >= this.#parts.context.flushBytes() || this.#hasWaited()) this.#begin();
  }

  /** Flushes what is pending and waits for it. */
  async finish(): Promise<void> {
    this.#closing = true;
    await this.#underWay;
    if (!this.abandoned) this.#begin();
    await this.#underWay;
  }

  /** Waits for the slice under way and writes no more. */
  async stop(): Promise<void> {
    this.#closing = true;
    this.#abandoned = true;
    await this.#underWay;
  }

  #hasWaited(): boolean {
    return (
      this.#parts.context.ports.clock.monotonicMs() - this.#lastFlushMs >= this.#parts.context.bounds.flushIntervalMs
    );
  }

  #begin(): void {
    const slices = this.#parts.task.checkpoints.flush(this.#parts.context.bounds.flushSlice);
    if (slices !== undefined) this.#goOn(slices);
  }

  #goOn(slices: Iterator<FlushSlice, undefined>): void {
    this.#waiting = undefined;
    this.#underWay = this.#flush(slices).then(() => {
      this.#lastFlushMs = this.#parts.context.ports.clock.monotonicMs();
      this.#underWay = undefined;
    });
  }

  async #flush(slices: Iterator<FlushSlice, undefined>): Promise<void> {
    try {
      for (let next = slices.next(); next.done !== true && !this.#abandoned; next = slices.next()) {
        if (next.value.waits) {
          this.#waiting = slices;
          return;
        }
        if (isForStore(next.value)) await this.#write(next.value);
        await turn(this.#parts.context.ports.turns);
      }
    } catch (error) {
      this.#abandon('the local store cannot be brought up to date', error);
    }
  }

  async #write(slice: FlushSlice): Promise<void> {
    const retryPause = new RetryPause(this.#parts.context.ports.clock);
    while (!this.#abandoned) {
      try {
        this.#parts.store.write(slice.changes, slice.checkpoint);
        return;
      } catch (error) {
        if (this.#closing || !(error instanceof Retriable)) {
          this.#abandon(
            this.#closing ? 'the local store cannot be written while closing' : 'the local store failed',
            error,
          );
          return;
        }
        this.#parts.context.ports.log.warn('local store not written; trying again', { error });
        await retryPause.pause();
      }
    }
  }

  #abandon(why: string, error?: unknown): void {
    this.#abandoned = true;
    this.#parts.task.checkpoints.discard();
    this.#parts.context.ports.log.error(`${why}; the changelog restores it at the next start`, { error });
  }
}

/** The other slices only give the event loop its turn. */
function isForStore({ changes: { puts, removals }, checkpoint }: FlushSlice): boolean {
  return puts.length > 0 || removals.length > 0 || checkpoint !== undefined;
}
