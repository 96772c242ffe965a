// Has the log asked to prove its silence when that is due, and sees to it that what it answered is read.
//
// Owns: when to look next.
// Does not own: the request under way (SilenceProof), what is due (PartitionTask).
import type { Cancel, DurationMs } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import type { LogEnds } from '@flatline/ports';
import type { TaskContext } from '../task-context.ts';
import type { InputReading } from './input-reading.ts';
import { type LoopEvents, unattended } from '../loop-events.ts';
import { ReadBack } from '../proof/read-back.ts';
import type { Silence } from '../proof/prover.ts';
import type { SilenceProof } from '../proof/silence-proof.ts';

/** Obstacle in words for operators (X5). */
const UNREAD_PROOF =
  'a proof of silence that is in the log and not read back: the leader that is read from may be a deposed one, cut off from ' +
  'the controllers; another is looked for';

export interface SilenceWatchParts {
  readonly context: TaskContext;
  /** Which input it is of, counted from 0. */
  readonly number: number;
  readonly task: PartitionTask;
  readonly reading: InputReading;
  readonly proof: SilenceProof;
  /** Facts of the input once it is read to its end. */
  readonly silence: () => Silence;
  readonly events: LoopEvents;
}

export class SilenceWatch {
  readonly #parts: SilenceWatchParts;
  readonly #readBack = new ReadBack();
  #proofTimer: Cancel | undefined;
  #readBackTimer: Cancel | undefined;

  constructor(parts: SilenceWatchParts) {
    this.#parts = parts;
  }

  get waitingFor(): string | undefined {
    return this.#readBack.isOverdue ? UNREAD_PROOF : undefined;
  }

  /** Moves the clock where an answered request for the end has shown that nothing earlier is left (C3). */
  observe(): void {
    const { task, proof } = this.#parts;
    const evidence = proof.evidence(task.input.position);
    if (evidence !== undefined) task.observe(evidence);
  }

  /** Called when there is nothing more to step. `isAllRead`: the task has applied everything there is. */
  consider(isAllRead: boolean): void {
    this.#considerProof(isAllRead);
    this.#considerReadBack();
  }

  stop(): void {
    this.#proofTimer?.();
    this.#readBackTimer?.();
  }

  #considerProof(isAllRead: boolean): void {
    this.#proofTimer?.();
    this.#proofTimer = undefined;
    if (!isAllRead) return;
    const { context, proof, silence, events } = this.#parts;
    const { clock } = context.ports;
    const advice = proof.advise(silence(), clock.monotonicMs());
    if (advice.kind === 'wait') this.#proofTimer = clock.after(advice.delayMs, events.wake);
    else if (advice.kind === 'ask') unattended(proof.ask(advice.timestamp).then(events.wake), events);
  }

  /** A proof that is written and not read (X5): the leader that is read from may have been deposed. */
  #considerReadBack(): void {
    const { context, number, proof, task, reading, events } = this.#parts;
    const { ports } = context;
    const { topic, partition } = context.inputs[number]!;
    const { ends } = reading;
    // Records that wait behind another input are not looked for.
    const owedSinceMs = reading.isHeldUp ? undefined : proof.owedSinceMs;
    const { position } = task.inputAt(number);
    const isExplained = owedSinceMs !== undefined && !isHidden(ends, owedSinceMs, position);
    const { alarm, doubt, againInMs } = this.#readBack.note(owedSinceMs, isExplained, ports.clock.monotonicMs());
    this.#readBackTimer?.();
    this.#readBackTimer = againInMs === undefined ? undefined : ports.clock.after(againInMs, events.wake);
    if (alarm)
      ports.log.error('the input is read from a leader that does not show what is written', {
        topic,
        partition,
        waitsFor: UNREAD_PROOF,
        position,
        highWatermark: ends?.highWatermark,
      });
    if (doubt) reading.doubtLeader();
  }
}

/**
 * True if the leader, asked since what is owed was written, says that all of its log is read. An older answer says nothing: this
 * process may have stood still, or lost its connection, since.
 */
function isHidden(ends: LogEnds | undefined, owedSinceMs: DurationMs, position: number): boolean {
  if (ends === undefined || ends.askedAtMs < owedSinceMs) return false;
  return ends.lastStableOffset <= position && ends.highWatermark === ends.lastStableOffset;
}
