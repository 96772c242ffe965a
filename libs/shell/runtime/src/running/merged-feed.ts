// Several inputs: what is read of each is stepped in the one order that their logs decide, and a proof of silence is asked of each
// that holds up the others, or what is due (S8).
//
// Owns: what was last waited for.
// Does not own: the order (PartitionTask), the records in hand (InputReading), what a record waits for (StepObstacle).
import type { DurationMs, Millis, PartitionStopped } from '@flatline/base';
import type { MergedOutcome, PartitionTask } from '@flatline/partition';
import type { FetchedRecords, LogEnds } from '@flatline/ports';
import { SLICE_MS, STEP_RECORDS_MAX } from '../limits.ts';
import type { Silence } from '../proof/prover.ts';
import type { TaskContext } from '../task-context.ts';
import type { InputFeed, InputFeedParts } from './input-feed.ts';
import { InputReading } from './input-reading.ts';
import { SilenceWatch } from './silence-watch.ts';
import { type MetMisplacedKey, StepAlarms } from './step-alarms.ts';
import { StepObstacle } from './step-obstacle.ts';

export class MergedFeed implements InputFeed {
  readonly #context: TaskContext;
  readonly #task: PartitionTask;
  readonly #readings: readonly InputReading[];
  readonly #watches: readonly SilenceWatch[];
  readonly #alarms: StepAlarms;
  readonly #obstacle: StepObstacle;
  /** An input that shows nothing may bring the next record, as of the last step. */
  #isAwaiting = false;
  /** As of the last look at silence. */
  #wallNow: Millis = 0;

  constructor({ context, task, proofs, topicIds, events }: InputFeedParts) {
    const { input, settings, ports } = context;
    const { timestampType } = settings.input;
    this.#context = context;
    this.#task = task;
    this.#readings = proofs.map(
      (proof, number) => new InputReading({ context, number, topicId: topicIds[number], task, proof, events }),
    );
    this.#watches = proofs.map((proof, number) => {
      const reading = this.#readings[number]!;
      return new SilenceWatch({
        context,
        number,
        task,
        reading,
        proof,
        silence: () => this.#silenceOf(number),
        events,
      });
    });
    this.#alarms = new StepAlarms({ input, timestampType, log: ports.log, kindAlarms: ports.kind.alarms ?? {} });
    this.#obstacle = new StepObstacle(context, events);
  }

  get lag(): number | undefined {
    let sum = 0;
    for (const lag of this.lags) {
      if (lag === undefined) return undefined;
      sum += lag;
    }
    return sum;
  }

  get lags(): readonly (number | undefined)[] {
    return this.#readings.map(({ lag }) => lag);
  }

  get misplaced(): MetMisplacedKey | undefined {
    return this.#alarms.misplaced;
  }

  get waitingFor(): string | undefined {
    return this.#obstacle.waitingFor ?? this.#readings.find(({ waitingFor }) => waitingFor !== undefined)?.waitingFor;
  }

  get silenceWaitsFor(): string | undefined {
    return this.#watches.find(({ waitingFor }) => waitingFor !== undefined)?.waitingFor;
  }

  get stopsWith(): PartitionStopped | undefined {
    return this.#obstacle.stopsWith;
  }

  get isCaughtUp(): boolean {
    return this.#readings.every(({ isAllFetched }) => isAllFetched);
  }

  get canGoOn(): boolean {
    return !this.#isAwaiting && this.#isFree && this.#readings.some(({ hasRecords }) => hasRecords);
  }

  get hasRecords(): boolean {
    return this.#readings.some((reading) => reading.hasRecords);
  }

  get ends(): readonly (LogEnds | undefined)[] {
    return this.#readings.map(({ ends }) => ends);
  }

  get #isFree(): boolean {
    return this.#obstacle.waitingFor === undefined;
  }

  step(wallNow: Millis, startedAt: DurationMs): boolean {
    const { ports } = this.#context;
    const task = this.#task;
    const isOver = (): boolean => ports.clock.monotonicMs() - startedAt >= SLICE_MS;
    const limit = Math.min(ports.kind.pieceRecords ?? STEP_RECORDS_MAX, STEP_RECORDS_MAX);
    this.#alarms.noteKind(task);
    while (this.#isFree) {
      const inHand = this.#readings.map((reading) => (reading.isInterrupted ? undefined : reading.take()));
      const outcome = task.stepMerged(
        inHand.map((fetched) => fetched?.cursor),
        limit,
        wallNow,
      );
      this.#alarms.note(task, wallNow);
      this.#isAwaiting = outcome.kind === 'awaiting';
      const next = this.#after(outcome, inHand);
      if (next !== 'goOn') return next === 'again';
      if (isOver()) return true;
    }
    return false;
  }

  /** Says how to go on after a step: with another one now, in another turn, or once something happens. */
  #after(outcome: MergedOutcome, inHand: readonly (FetchedRecords | undefined)[]): 'goOn' | 'again' | 'wait' {
    if (outcome.kind === 'awaiting') return 'wait';
    if (outcome.kind === 'limit') return 'goOn';
    const { input, outcome: of } = outcome;
    if (of.kind === 'full') return 'wait';
    if (of.kind === 'due') return this.#task.isFull ? 'wait' : 'again';
    if (of.kind === 'exhausted') this.#readings[input]!.finish(inHand[input]!);
    else if (of.kind !== 'limit') this.#obstacle.met(of, this.#context.inputs[input]!);
    return 'goOn';
  }

  observe(): void {
    // Evidence that is no record says nothing of another input: C3 is refused with several.
  }

  considerSilence(wallNow: Millis): void {
    this.#wallNow = wallNow;
    this.#watches.forEach((watch, number) => {
      const reading = this.#readings[number]!;
      watch.consider(reading.isAllFetched && !reading.isInterrupted && this.#isFree);
    });
  }

  stop(): void {
    this.#obstacle.stop();
    for (const watch of this.#watches) watch.stop();
  }

  close(): void {
    for (const reading of this.#readings) reading.close();
  }

  /** Silence of one input, as its prover has to know it. */
  #silenceOf(number: number): Silence {
    const front = this.#task.frontOf(number);
    const { timestampType } = this.#context.inputs[number]!;
    const silence = { clock: front, earliestDue: this.#wantedOf(number, front), live: this.#isLive(number), closed: 0 };
    if (timestampType === 'LogAppendTime' || silence.live) return silence;
    // A table that no one changes is as current as the stream beside it.
    const others = [...this.#context.inputs.keys()].filter((input) => this.#isLive(input));
    const fronts = others.map((input) => this.#task.frontOf(input));
    const present = Math.max(-Infinity, ...fronts) + 1;
    if (Number.isFinite(present)) return { ...silence, live: true, present };
    if (this.#awaitedOf(number, front) === Infinity) return silence;
    // A waiting record is older than whatever producers still send to an input that is read to its end.
    return { ...silence, live: true, present: this.#wallNow - this.#context.settings.input.liveWithinMs };
  }

  /** Returns the instant that the input has to pass: the earliest that is due, or a record of another input, without waiting for a tick. */
  #wantedOf(number: number, front: Millis): Millis | undefined {
    const { tickMs } = this.#context.settings;
    const due = this.#task.earliestAhead() ?? Infinity;
    const awaited = this.#awaitedOf(number, front);
    const wanted = Math.min(front < due + tickMs ? due : Infinity, awaited - tickMs);
    return wanted === Infinity ? undefined : wanted;
  }

  /** The instant that another input's record waits for the input to pass; Infinity: none does. */
  #awaitedOf(number: number, front: Millis): Millis {
    return Math.min(this.#task.awaitedOf(number) ?? Infinity, this.#hiddenBehind(number, front));
  }

  /**
   * Clock records in hand are waited for by none, or silent inputs would have each other asked for ever. One with more behind it is:
   * that is not seen before it is applied.
   */
  #hiddenBehind(number: number, front: Millis): Millis {
    let wanted = Infinity;
    this.#readings.forEach(({ isHeldUp, lag = 0 }, other) => {
      if (other === number || !isHeldUp || lag <= 1) return;
      const place = this.#task.frontOf(other);
      const needed = number < other ? place + 1 : place;
      if (front < needed) wanted = Math.min(wanted, needed);
    });
    return wanted;
  }

  /** C2, CreateTime: as the record in hand says, which may wait for just this. */
  #isLive(number: number): boolean {
    const { liveWithinMs } = this.#context.settings.input;
    return this.#task.inputAt(number).live || this.#wallNow - this.#task.frontOf(number) <= liveWithinMs;
  }
}
