// Brings the local store up to the committed changelog, in slices between the task's own work.
//
// Owns: the flush under way, when to begin one.      Does not own: what is flushed (CheckpointQueue), the store's form.
//
// Invariants
//   FL1  One flush at a time; a slice that could not be written is written again before the next.
//   FL2  What waits is bounded: beyond FLUSH_BACKLOG_BYTES_MAX the store is given up until the next start. It keeps its
//        former checkpoint, from which the changelog rolls it forward.
import type { FlushSlice, PartitionTask, StateStore } from '@flatline/task';
import { Backoff, turn } from './backoff.ts';
import { FLUSH_BACKLOG_BYTES_MAX, FLUSH_BYTES, FLUSH_INTERVAL_MS, FLUSH_SLICE } from './limits.ts';
import type { PipelinePorts } from './settings.ts';

export class Flusher {
  readonly #store: StateStore;
  readonly #task: PartitionTask;
  readonly #ports: Pick<PipelinePorts, 'clock' | 'log' | 'turns'>;
  #running: Promise<void> | undefined;
  #lastFlushMs: number;
  #abandoned = false;
  #closing = false;

  constructor(store: StateStore, task: PartitionTask, ports: Pick<PipelinePorts, 'clock' | 'log' | 'turns'>) {
    this.#store = store;
    this.#task = task;
    this.#ports = ports;
    this.#lastFlushMs = ports.clock.monotonicMs();
  }

  /** Set once the store was given up for this run. */
  get abandoned(): boolean {
    return this.#abandoned;
  }

  /** Begins a flush in the background where one is due; called after each commit. */
  offer(): void {
    const { pendingBytes } = this.#task.checkpoints;
    if (this.#abandoned) this.#task.checkpoints.discard();
    else if (pendingBytes > FLUSH_BACKLOG_BYTES_MAX) this.#abandon('more waits for the local store than is kept');
    else if (this.#running === undefined && this.#isDue(pendingBytes)) this.#running = this.#flush();
  }

  /** Flushes what is pending and waits for it. */
  async finish(): Promise<void> {
    this.#closing = true;
    await this.#running;
    if (!this.#abandoned) await this.#flush();
  }

  /** Waits for the slice under way and writes no more. */
  async stop(): Promise<void> {
    this.#closing = true;
    this.#abandoned = true;
    await this.#running;
  }

  #isDue(pendingBytes: number): boolean {
    return pendingBytes >= FLUSH_BYTES || this.#ports.clock.monotonicMs() - this.#lastFlushMs >= FLUSH_INTERVAL_MS;
  }

  async #flush(): Promise<void> {
    const slices = this.#task.checkpoints.flush(FLUSH_SLICE);
    if (slices !== undefined) {
      for (let next = slices.next(); next.done !== true && !this.#abandoned; next = slices.next()) {
        await this.#write(next.value);
        await turn(this.#ports.turns);
      }
    }
    this.#lastFlushMs = this.#ports.clock.monotonicMs();
    this.#running = undefined;
  }

  async #write(slice: FlushSlice): Promise<void> {
    const backoff = new Backoff(this.#ports.clock);
    while (!this.#abandoned) {
      try {
        this.#store.write(slice.changes, slice.checkpoint);
        return;
      } catch (error) {
        if (this.#closing) {
          this.#abandon('the local store cannot be written while closing', error);
          return;
        }
        this.#ports.log.warn('local store not written; trying again', { error });
        await backoff.pause();
      }
    }
  }

  #abandon(why: string, error?: unknown): void {
    this.#abandoned = true;
    this.#task.checkpoints.discard();
    this.#ports.log.error(`${why}; the changelog restores it at the next start`, { error });
  }
}
