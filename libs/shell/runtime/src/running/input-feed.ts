// How the records of a task's input, or of its inputs, come to it, and how silence is proved there.
import type { DurationMs, Millis, PartitionStopped } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import type { LogEnds } from '@flatline/ports';
import type { LoopEvents } from '../loop-events.ts';
import type { Silence } from '../proof/prover.ts';
import type { SilenceProof } from '../proof/silence-proof.ts';
import type { TaskContext } from '../task-context.ts';
import { InputReading } from './input-reading.ts';
import { SilenceWatch } from './silence-watch.ts';
import type { MetMisplacedKey } from './step-alarms.ts';
import { Stepping } from './stepping.ts';

export interface InputFeed {
  /** Records between what is applied and the last stable offset, as of the newest answer; undefined before the first. */
  readonly lag: number | undefined;
  /** The same of each input, in their order. */
  readonly lags: readonly (number | undefined)[];
  readonly misplaced: MetMisplacedKey | undefined;
  /** Obstacle to applying or reading the next record. */
  readonly waitingFor: string | undefined;
  /** Obstacle to a proof of silence. */
  readonly silenceWaitsFor: string | undefined;
  /** Set where the input ends for this task: it stops with this once all before is committed. */
  readonly stopsWith: PartitionStopped | undefined;
  /** All that was there at the last look is read. */
  readonly isCaughtUp: boolean;
  /** Records are in hand that wait for nothing, or only for room in the task. */
  readonly canGoOn: boolean;
  /** Records are in hand. */
  readonly hasRecords: boolean;
  /** Ends of each input as of the newest answer. */
  readonly ends: readonly (LogEnds | undefined)[];
  /** One slice, of the turn begun at `startedAt`. True if there is more to step at once. */
  step(wallNow: Millis, startedAt: DurationMs): boolean;
  /** Moves the clock where an answered request for the end has shown that nothing earlier is left (C3). */
  observe(): void;
  /** Called when there is nothing more to step. What is due may still be taking effect. */
  considerSilence(wallNow: Millis): void;
  stop(): void;
  close(): void;
}

export interface InputFeedParts {
  readonly context: TaskContext;
  readonly task: PartitionTask;
  /** One for each input. */
  readonly proofs: readonly SilenceProof[];
  /** Id of each input's topic; undefined: it has none. */
  readonly topicIds: readonly (string | undefined)[];
  readonly events: LoopEvents;
}

/** One input: what is read is stepped. */
export class SingleFeed implements InputFeed {
  readonly #reading: InputReading;
  readonly #stepping: Stepping;
  readonly #silence: SilenceWatch;

  constructor({ context, task, proofs, topicIds, events }: InputFeedParts) {
    const proof = proofs[0]!;
    const reading = new InputReading({ context, number: 0, topicId: topicIds[0], task, proof, events });
    const silence = (): Silence => silenceOf(task);
    this.#reading = reading;
    this.#stepping = new Stepping({ context, task, reading, proof, events });
    this.#silence = new SilenceWatch({ context, number: 0, task, reading, proof, silence, events });
  }

  get lag(): number | undefined {
    return this.#reading.lag;
  }

  get lags(): readonly (number | undefined)[] {
    return [this.#reading.lag];
  }

  get misplaced(): MetMisplacedKey | undefined {
    return this.#stepping.misplaced;
  }

  get waitingFor(): string | undefined {
    return this.#stepping.waitingFor ?? this.#reading.waitingFor;
  }

  get silenceWaitsFor(): string | undefined {
    return this.#silence.waitingFor;
  }

  get stopsWith(): PartitionStopped | undefined {
    return this.#stepping.stopsWith;
  }

  get isCaughtUp(): boolean {
    return this.#reading.isCaughtUp;
  }

  get canGoOn(): boolean {
    return this.#stepping.canGoOn;
  }

  get hasRecords(): boolean {
    return this.#reading.hasRecords;
  }

  get ends(): readonly (LogEnds | undefined)[] {
    return [this.#reading.ends];
  }

  step(wallNow: Millis, startedAt: DurationMs): boolean {
    return this.#stepping.step(wallNow, startedAt);
  }

  observe(): void {
    this.#silence.observe();
  }

  considerSilence(): void {
    this.#silence.consider(this.#reading.isCaughtUp && this.#stepping.isFree);
  }

  stop(): void {
    this.#stepping.stop();
    this.#silence.stop();
  }

  close(): void {
    this.#reading.close();
  }
}

function silenceOf(task: PartitionTask): Silence {
  const { clock, counters, input } = task;
  return { clock: clock.now, earliestDue: task.earliestAhead(), live: input.live, closed: counters.expired };
}
