// Obstacles to applying the next record, and where the input ends for this task.
//
// Owns: that, and looking again.
// Does not own: the records (InputReading), applying them (Stepping).
import { PartitionStopped } from '@flatline/base';
import type { StepOutcome } from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import { FUTURE_STAMP_RETRY_MS } from '../limits.ts';
import { type LoopEvents, unattended } from '../loop-events.ts';
import { RetryPause } from '../retry-pause.ts';
import type { TaskContext, TaskInput } from '../task-context.ts';
import { wrongTimestampType } from './wrong-timestamp-type.ts';

export type Obstacle = Exclude<StepOutcome, { kind: 'exhausted' | 'limit' | 'full' | 'due' }>;

export class StepObstacle {
  readonly #context: TaskContext;
  readonly #events: LoopEvents;
  #waitingFor: string | undefined;
  #stopsWith: PartitionStopped | undefined;
  #isStopped = false;

  constructor(context: TaskContext, events: LoopEvents) {
    this.#context = context;
    this.#events = events;
  }

  /** Reason why the next record waits. */
  get waitingFor(): string | undefined {
    return this.#waitingFor;
  }

  /** Set where the input ends for this task: it stops with this once all before is committed. */
  get stopsWith(): PartitionStopped | undefined {
    return this.#stopsWith;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** The next record, of this input, waits. */
  met(obstacle: Obstacle, { timestampType, ...input }: TaskInput): void {
    const { ports } = this.#context;
    if (obstacle.kind === 'unknownSchema') {
      this.#waitingFor = `schema ${obstacle.schemaId} of the registry`;
      unattended(this.#prepare(obstacle.schemaId, input), this.#events);
    } else if (obstacle.kind === 'futureStamp') {
      const { offset, timestamp } = obstacle;
      this.#waitingFor = `broker time: offset ${offset} is stamped ${timestamp}, over maxFutureMs ahead`;
      const message = 'partition waits at a stamp from the future; check the clocks of the brokers';
      ports.log.error(message, { ...input, ...obstacle });
      ports.clock.after(FUTURE_STAMP_RETRY_MS, this.#goOn);
    } else {
      this.#waitingFor = wrongTimestampType(input, timestampType, obstacle);
      this.#stopsWith = new PartitionStopped(this.#waitingFor);
    }
  }

  readonly #goOn = (): void => {
    this.#waitingFor = undefined;
    this.#events.wake();
  };

  async #prepare(schemaId: number, input: TopicPartition): Promise<void> {
    const { ports } = this.#context;
    const retryPause = new RetryPause(ports.clock);
    while (!this.#isStopped) {
      try {
        await ports.kind.prepare(schemaId);
        break;
      } catch (error) {
        ports.log.warn('schema not fetched; trying again', { ...input, schemaId, error });
        await retryPause.pause();
      }
    }
    this.#goOn();
  }
}
