// The records of a running task's input, fetch by fetch, through every interruption that may pass.
//
// Owns: the subscription, the records in hand, whether all there is has been read.
// Does not own: what a record means (Stepping), the position (PartitionTask).
import { Fatal, PartitionStopped } from '@flatline/base';
import type { InputPosition, PartitionTask } from '@flatline/partition';
import type { FetchedRecords, LogEnds, LogSubscription, TopicPartition } from '@flatline/ports';
import { RetryPause } from '../retry-pause.ts';
import type { TaskContext } from '../task-context.ts';
import type { SilenceProof } from '../proof/silence-proof.ts';
import { type LoopEvents, unattended } from '../loop-events.ts';
import { readObstacle } from '../read-obstacle.ts';
import { TransactionStall } from '../transaction-stall.ts';

export interface InputReadingParts {
  readonly context: TaskContext;
  /** Which input it is of, counted from 0. */
  readonly number: number;
  /** By which it is read: another topic under its name is never read instead. undefined: it has none. */
  readonly topicId: string | undefined;
  readonly task: PartitionTask;
  /** Hears of what is fetched, when it comes and when it is applied. */
  readonly proof: SilenceProof;
  readonly events: LoopEvents;
}

export class InputReading {
  readonly #parts: InputReadingParts;
  readonly #context: TaskContext;
  readonly #input: TopicPartition;
  readonly #retryPause: RetryPause;
  readonly #stall: TransactionStall;
  #subscription: LogSubscription;
  #inHand: FetchedRecords | undefined;
  #isCaughtUp = false;
  #interruption: string | undefined;
  #isClosed = false;

  constructor(parts: InputReadingParts) {
    const { inputs, ports } = parts.context;
    const input = inputs[parts.number]!;
    this.#parts = parts;
    this.#context = parts.context;
    this.#input = input;
    this.#retryPause = new RetryPause(ports.clock);
    this.#stall = new TransactionStall(ports, 'input', input);
    this.#subscription = this.#subscribe();
  }

  /** Ends of the log as of the newest answer; undefined before the first. */
  get ends(): LogEnds | undefined {
    return this.#subscription.ends;
  }

  /** Records between the position and the last stable offset; undefined before the first answer. */
  get lag(): number | undefined {
    return this.ends && Math.max(0, this.ends.lastStableOffset - this.#position.position);
  }

  get #position(): InputPosition {
    return this.#parts.task.inputAt(this.#parts.number);
  }

  /** Nothing more is there behind what is in hand, as far as is known; less than `isCaughtUp` where that waits. */
  get isAllFetched(): boolean {
    if (this.#inHand === undefined) return this.#isCaughtUp;
    return this.ends !== undefined && this.#inHand.nextOffset >= this.ends.lastStableOffset;
  }

  /** The last try found nothing more to read, and nothing has come since. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp;
  }

  /** The records in hand wait for those of another input (S8). */
  get isHeldUp(): boolean {
    return this.#inHand !== undefined && this.#context.inputs.length > 1;
  }

  get hasRecords(): boolean {
    return this.#inHand !== undefined;
  }

  /** True if reading was interrupted, and is about to be tried again. */
  get isInterrupted(): boolean {
    return this.#interruption !== undefined;
  }

  /** Obstacle to reading more of the input; undefined also if it is just silent (X5). */
  get waitingFor(): string | undefined {
    if (this.#interruption !== undefined) return this.#interruption;
    return readObstacle('input', this.#subscription, this.#context.ports.clock.monotonicMs()) ?? this.#stall.obstacle;
  }

  /** The records in hand, or the next ones. */
  take(): FetchedRecords | undefined {
    if (this.#inHand !== undefined) return this.#inHand;
    const fetched = this.#subscription.take();
    if (fetched !== undefined) {
      this.#noteArrival(fetched);
      this.#inHand = fetched;
      return fetched;
    }
    if (this.#subscription.failure !== undefined) this.#readAgain(this.#subscription.failure);
    this.#isCaughtUp = this.lag === 0;
    this.#noteEnds();
    return undefined;
  }

  /** All of the records in hand are applied. */
  finish(fetched: FetchedRecords): void {
    this.#inHand = undefined;
    this.#parts.proof.applied(fetched);
  }

  /** The leader that is read from may have been deposed: others are asked who leads. */
  doubtLeader(): void {
    this.#subscription.lookAgain();
  }

  close(): void {
    this.#isClosed = true;
    this.#unsubscribe();
  }

  #noteArrival(fetched: FetchedRecords): void {
    this.#parts.proof.arrived(fetched, this.#isCaughtUp);
    this.#isCaughtUp = false;
    this.#retryPause.reset();
  }

  #noteEnds(): void {
    if (this.ends !== undefined) this.#stall.note(this.ends);
  }

  #readAgain(failure: Error): void {
    const { events } = this.#parts;
    const { ports } = this.#context;
    const input = this.#input;
    if (failure instanceof PartitionStopped || failure instanceof Fatal) {
      events.end({ kind: 'failed', error: failure });
      return;
    }
    this.#interruption = `the input: ${failure.message}`;
    ports.log.warn('reading the input is interrupted', { ...input, error: failure });
    unattended(
      this.#retryPause.pause().then(() => {
        if (!this.#isClosed) this.#resume();
      }),
      events,
    );
  }

  #resume(): void {
    const { task, events } = this.#parts;
    this.#unsubscribe();
    task.restartReading(this.#parts.number);
    this.#subscription = this.#subscribe();
    this.#interruption = undefined;
    events.wake();
  }

  #subscribe(): LogSubscription {
    const { events, topicId } = this.#parts;
    const { position, leaderEpoch } = this.#position;
    const subscription = this.#context.ports.input.subscribe(this.#input, position, leaderEpoch, topicId);
    subscription.onChange(events.wake);
    return subscription;
  }

  #unsubscribe(): void {
    this.#subscription.onChange(undefined);
    this.#subscription.close();
  }
}
