// Reads a changelog partition forward and hands its blocks on, until a given point.
//
// Owns: the subscription, the record in hand.      Does not own: what a block means (Restoration).
import { type Clock, copyBytes, PartitionStopped, Retriable } from '@flatline/base';
import type { LogSubscription, RecordRun, TopicPartition } from '@flatline/task';
import { turn } from './backoff.ts';
import type { PipelinePorts, Turns } from './settings.ts';

/** Blocks handed on before the event loop gets its turn: about 4 MB. */
const BLOCKS_PER_TURN = 16;

/** Says false to stop before the next block. */
export type BlockHandler = (bytes: Uint8Array, offset: number) => boolean | Promise<boolean>;

export class ChangelogTail {
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #subscription: LogSubscription;
  readonly #abandon: AbortSignal | undefined;
  #run: RecordRun | undefined;
  #position: number;

  /** `abandon`: ends a wait for records with Retriable, where nobody wants them any more. */
  constructor(
    ports: Pick<PipelinePorts, 'changelog' | 'clock' | 'turns'>,
    partition: TopicPartition,
    from: number,
    abandon?: AbortSignal,
  ) {
    this.#abandon = abandon;
    this.#clock = ports.clock;
    this.#turns = ports.turns;
    this.#position = from;
    this.#subscription = ports.changelog.subscribe(partition, from);
  }

  /** Everything below has been handed on. */
  get position(): number {
    return this.#position;
  }

  /** First offset the leader still holds, as of the newest answer. */
  get logStartOffset(): number {
    return this.#subscription.ends?.logStartOffset ?? 0;
  }

  /** Reads to the last stable offset as a request sent after this call sees it. True if the handler never said stop. */
  async readToEnd(handle: BlockHandler): Promise<boolean> {
    const since = this.#clock.monotonicMs();
    return this.#read(handle, () => {
      const { ends } = this.#subscription;
      return ends !== undefined && ends.askedAtMs >= since && this.#position >= ends.lastStableOffset;
    });
  }

  /** Reads until everything below `offset` has been handed on. */
  async readTo(offset: number, handle: BlockHandler): Promise<boolean> {
    return this.#read(handle, () => this.#position >= offset);
  }

  close(): void {
    this.#subscription.onChange(undefined);
    this.#subscription.close();
  }

  async #read(handle: BlockHandler, isDone: () => boolean): Promise<boolean> {
    for (let blocks = 0; ; blocks += 1) {
      const record = await this.#next(isDone);
      if (record === undefined) return true;
      const { cursor } = record;
      if (cursor.valueLength < 0) throw notABlock(this.#subscription.partition, cursor.offset);
      // A copy: parts of a commit are kept, and the fetch answer's buffer is not ours to keep.
      const value = copyBytes(cursor.bytes, cursor.valueStart, cursor.valueStart + cursor.valueLength);
      this.#position = cursor.offset + 1;
      if (!(await handle(value, cursor.offset))) return false;
      if (blocks % BLOCKS_PER_TURN === BLOCKS_PER_TURN - 1) await turn(this.#turns);
    }
  }

  /** The run standing on its next record, or undefined once done. */
  async #next(isDone: () => boolean): Promise<RecordRun | undefined> {
    for (;;) {
      if (this.#run !== undefined) {
        if (this.#run.cursor.next()) return this.#run;
        this.#position = this.#run.nextOffset;
        this.#run = undefined;
      }
      this.#run = this.#subscription.take();
      if (this.#run !== undefined) continue;
      if (this.#subscription.failure !== undefined) throw this.#subscription.failure;
      if (isDone()) return undefined;
      if (this.#abandon?.aborted === true) throw new Retriable('reading the changelog was abandoned');
      await this.#changed();
    }
  }

  #changed(): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#subscription.onChange(undefined);
        this.#abandon?.removeEventListener('abort', wake);
        resolve();
      };
      this.#subscription.onChange(wake);
      this.#abandon?.addEventListener('abort', wake);
    });
  }
}

function notABlock({ topic, partition }: TopicPartition, offset: number): PartitionStopped {
  return new PartitionStopped(
    `${topic}/${partition} offset ${offset} is not a changelog block: something else writes to this topic; ` +
      'give the application a name of its own, or restore the topic',
  );
}
