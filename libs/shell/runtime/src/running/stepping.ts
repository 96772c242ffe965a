// Applies what was read to the task, in slices, as far as each record may be applied.
//
// Does not own: the rules (PartitionTask), the records (InputReading), what a record waits for (StepObstacle).
import type { DurationMs, Millis, PartitionStopped } from '@flatline/base';
import type { PartitionTask, StepOutcome } from '@flatline/partition';
import type { RecordCursor } from '@flatline/ports';
import { SLICE_MS, STEP_RECORDS_MAX } from '../limits.ts';
import type { TaskContext } from '../task-context.ts';
import type { SilenceProof } from '../proof/silence-proof.ts';
import type { InputReading } from './input-reading.ts';
import type { LoopEvents } from '../loop-events.ts';
import { type MetMisplacedKey, StepAlarms } from './step-alarms.ts';
import { StepObstacle } from './step-obstacle.ts';

export interface SteppingParts {
  readonly context: TaskContext;
  readonly task: PartitionTask;
  readonly reading: InputReading;
  readonly proof: SilenceProof;
  readonly events: LoopEvents;
}

export class Stepping {
  readonly #parts: SteppingParts;
  readonly #context: TaskContext;
  readonly #alarms: StepAlarms;
  readonly #obstacle: StepObstacle;

  constructor(parts: SteppingParts) {
    const { input, settings, ports } = parts.context;
    const { timestampType } = settings.input;
    this.#parts = parts;
    this.#context = parts.context;
    this.#alarms = new StepAlarms({ input, timestampType, log: ports.log, kindAlarms: ports.kind.alarms ?? {} });
    this.#obstacle = new StepObstacle(parts.context, parts.events);
  }

  /** Reason why the next record waits. */
  get waitingFor(): string | undefined {
    return this.#obstacle.waitingFor;
  }

  get misplaced(): MetMisplacedKey | undefined {
    return this.#alarms.misplaced;
  }

  /** Set where the input ends for this task: it stops with this once all before is committed. */
  get stopsWith(): PartitionStopped | undefined {
    return this.#obstacle.stopsWith;
  }

  /** Neither the next record nor the reading waits for anything. */
  get isFree(): boolean {
    return this.#obstacle.waitingFor === undefined && !this.#parts.reading.isInterrupted;
  }

  /** Records are in hand that wait for nothing, or only for room in the task. */
  get canGoOn(): boolean {
    return this.#parts.reading.hasRecords && this.isFree;
  }

  stop(): void {
    this.#obstacle.stop();
  }

  /** One slice, of the turn begun at `startedAt`. True if there is more to step at once. */
  step(wallNow: Millis, startedAt: DurationMs): boolean {
    const { task, reading, proof } = this.#parts;
    const { ports } = this.#context;
    const isOver = (): boolean => ports.clock.monotonicMs() - startedAt >= SLICE_MS;
    this.#alarms.noteKind(task);
    while (this.isFree) {
      const fetched = reading.take();
      if (fetched === undefined) return false;
      const outcome = stepSlice(task, fetched.cursor, { pieceRecords: ports.kind.pieceRecords, wallNow, isOver });
      if (this.#alarms.note(task, wallNow)) proof.distrust();
      if (outcome.kind === 'exhausted') reading.finish(fetched);
      else if (outcome.kind === 'full') return false;
      else if (outcome.kind === 'due') return !task.isFull;
      else if (outcome.kind !== 'limit') this.#obstacle.met(outcome, this.#context.inputs[0]!);
      if (isOver()) return true;
    }
    return false;
  }
}

export interface StepSlice {
  /** Records between two looks at the time. Default: all that a slice may have. */
  readonly pieceRecords: number | undefined;
  readonly wallNow: Millis;
  /** The time of the slice is over. */
  readonly isOver: () => boolean;
}

/** Applies records in pieces: those of one kind, which a calendar is asked about, take as long as hundreds of others. */
export function stepSlice(
  task: Pick<PartitionTask, 'step'>,
  cursor: RecordCursor,
  { pieceRecords = STEP_RECORDS_MAX, wallNow, isOver }: StepSlice,
): StepOutcome {
  for (let left = STEP_RECORDS_MAX; ; left -= pieceRecords) {
    const outcome = task.step(cursor, Math.min(left, pieceRecords), wallNow);
    if (outcome.kind !== 'limit' || left <= pieceRecords || isOver()) return outcome;
  }
}
