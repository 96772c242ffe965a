// The turns of a running task: step, expire, commit, ask for proof.
//
// Owns: the reading of the input, when it commits, when it asks. Does not own: the rules (PartitionTask), the protocol of
// a commit (Committer), whether the task should run at all (TaskRunner).
//
// Whatever may have changed something calls `wake`; a turn does one slice of work and, where there is more, queues the next
// behind the event loop's other work. No turn overlaps another.
//
// Invariants
//   TL1  At most one commit is in flight; while it is, stepping goes on within the task's own bounds.
//   TL2  Heartbeats come first: each turn steps before it expires, and expires a bounded number.
//   TL3  A cut is made in slices, one a turn, each no longer than what stepping and expiring have left of the turn; the task is
//        full meanwhile, so that neither step nor expiry comes between.
//   TL4  A run in hand that nothing hinders is never left lying: no other wake need come.
import { type Cancel, type DurationMs, Fatal, type Millis, PartitionStopped } from '@flatline/base';
import type { PartitionTask, StepOutcome } from '@flatline/partition';
import type { LogSubscription, RecordRun, TopicPartition } from '@flatline/ports';
import { RetryPause } from '../instance/retry-pause.ts';
import type { CommitBudget } from './commit-budget.ts';
import { CommitPace } from './commit-pace.ts';
import type { LetGo } from './commit-look-up.ts';
import type { Committer } from './committer.ts';
import { DurationHistogram } from '../duration-histogram.ts';
import { Durations } from '../durations.ts';
import { FillAlarm } from '../fill-alarm.ts';
import type { Flusher } from './flusher.ts';
import { InputStall } from './input-stall.ts';
import {
  CUT_SLICE_PIECES,
  EXPIRE_SLICE_MAX,
  HELD_RETRY_MS,
  SLICE_MS,
  SLOW_COMMIT_MS,
  STEP_RECORDS_MAX,
} from '../instance/limits.ts';
import { ReadBack } from '../proof/read-back.ts';
import { readObstacle } from './read-obstacle.ts';
import type { PipelinePorts, PipelineSettings } from '../instance/settings.ts';
import type { SilenceProof } from '../proof/silence-proof.ts';
import type { Truncator } from './truncator.ts';

/** For people (X5). */
const UNREAD_PROOF =
  'a proof of silence that is in the log and not read back: the leader that is read from may be a deposed one, cut off from ' +
  'the controllers; another is looked for';

export interface TaskLoopParts {
  readonly input: TopicPartition;
  readonly settings: PipelineSettings;
  readonly ports: PipelinePorts;
  readonly task: PartitionTask;
  /** Of a cut, between two turns. */
  readonly cutSliceBytes: number;
  readonly committer: Committer;
  readonly budget: CommitBudget;
  readonly flusher: Flusher;
  readonly proof: SilenceProof;
  readonly truncator: Truncator;
  /** The task cannot go on. Called once. */
  readonly onEnd: (end: TaskEnd) => void;
}

export type TaskEnd = LetGo | { readonly kind: 'failed'; readonly error: unknown };

export class TaskLoop {
  readonly commitDurations = new Durations();
  readonly commitHistogram = new DurationHistogram();
  /** From the instant that a session's close is due to where readers of the output see it. */
  readonly closeDelays = new DurationHistogram();
  readonly #parts: TaskLoopParts;
  readonly #readBackoff: RetryPause;
  readonly #stall = new InputStall();
  readonly #readBack = new ReadBack();
  #subscription: LogSubscription;
  #run: RecordRun | undefined;
  #turnQueued = false;
  #stopped = false;
  #ended = false;
  /** Where the input ends for this task: it stops once all before that is committed. */
  #stopsWith: PartitionStopped | undefined;
  /** What the step waits for, if not for records. */
  #waitingFor: string | undefined;
  #committing: Promise<void> | undefined;
  readonly #pace: CommitPace;
  /** Monotonic time of the first slice of the cut being made. */
  #cutBeganAt: DurationMs | undefined;
  #commitTimer: Cancel | undefined;
  #proofTimer: Cancel | undefined;
  #readBackTimer: Cancel | undefined;
  #caughtUp = false;
  /** Of the task's `clockOvertaken` and `failedRecords`, what has been said. */
  #overtakenSaid = 0;
  #formerTypeSaid = false;
  #failedSaid = 0;
  readonly #fill: FillAlarm;

  constructor(parts: TaskLoopParts) {
    this.#parts = parts;
    this.#readBackoff = new RetryPause(parts.ports.clock);
    this.#pace = new CommitPace(parts.settings);
    this.#fill = new FillAlarm(parts.ports.log, parts.input);
    this.#subscription = this.#subscribe();
    parts.task.limitCut(parts.budget.bytesMax);
    this.wake();
  }

  /** Records between the position and the last stable offset, as of the newest answer; undefined before the first. */
  get lag(): number | undefined {
    const { ends } = this.#subscription;
    return ends && Math.max(0, ends.lastStableOffset - this.#parts.task.input.position);
  }

  get waitingFor(): string | undefined {
    if (this.#parts.committer.isRecovering) return 'the outcome of a commit';
    const { offset } = this.#stall;
    const open = offset === undefined ? undefined : `the end of a producer's transaction, open since offset ${offset}`;
    const unreadable = readObstacle('input', this.#subscription, this.#parts.ports.clock.monotonicMs());
    const unread = this.#readBack.isOverdue ? UNREAD_PROOF : undefined;
    return this.#waitingFor ?? unreadable ?? open ?? this.#slowCommit() ?? unread;
  }

  /** Stepping pauses while a commit takes long and enough waits for the next. */
  #slowCommit(): string | undefined {
    const { task, ports } = this.#parts;
    if (this.#committing === undefined || !task.isFull) return undefined;
    const tookMs = ports.clock.monotonicMs() - this.#pace.beganAt;
    return tookMs < SLOW_COMMIT_MS ? undefined : `a commit, under way for ${Math.round(tookMs)} ms`;
  }

  wake = (): void => {
    if (this.#turnQueued || this.#stopped) return;
    this.#turnQueued = true;
    this.#parts.ports.turns(this.#turn);
  };

  /** Takes no more records, and waits for the commit in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#commitTimer?.();
    this.#proofTimer?.();
    this.#readBackTimer?.();
    this.#subscription.onChange(undefined);
    this.#subscription.close();
    await this.#committing;
  }

  /** After `stop`: commits what is applied and not yet committed. */
  async commitRest(): Promise<void> {
    if (!this.#ended && this.#parts.task.hasUncut) await this.#commit();
  }

  readonly #turn = (): void => {
    this.#turnQueued = false;
    if (this.#stopped) return;
    try {
      const { clock } = this.#parts.ports;
      const wallNow = clock.wallMs();
      const startedAt = clock.monotonicMs();
      const stepMore = this.#step(wallNow, startedAt);
      this.#observe();
      const expireMore = this.#parts.task.expire(EXPIRE_SLICE_MAX, wallNow);
      this.#considerCommit(startedAt);
      this.#considerStop();
      if (stepMore || ((expireMore || this.#canStep) && !this.#parts.task.isFull)) this.wake();
      else {
        this.#considerProof();
        this.#watchReadBack();
      }
    } catch (error) {
      // A broken assumption inside the core, or a record that brings one about: this task must not go on, and all others must.
      this.#fail(error);
    }
  };

  /** What nobody waits for must not reject: a rejection that is nobody's ends the process. */
  #unattended(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#fail(error);
    });
  }

  #fail(error: unknown): void {
    this.#end({ kind: 'failed', error });
  }

  /** Records are in hand that wait for nothing, or only for room in the task: a cut in this very turn may have made it. */
  get #canStep(): boolean {
    return this.#run !== undefined && this.#waitingFor === undefined;
  }

  /** One slice of stepping, of the turn begun at `startedAt`. True if there is more to step at once. */
  #step(wallNow: number, startedAt: DurationMs): boolean {
    const { task, ports } = this.#parts;
    while (this.#waitingFor === undefined) {
      const run = this.#takeRun();
      if (run === undefined) return false;
      const outcome = task.step(run.cursor, STEP_RECORDS_MAX, wallNow);
      if (task.counters.clockOvertaken > this.#overtakenSaid) this.#onOvertaken();
      if (!this.#formerTypeSaid && task.counters.formerTypeRecords > 0) this.#onFormerType();
      if (task.counters.failedRecords > this.#failedSaid) this.#onFailedRecords();
      this.#fill.note(task);
      if (outcome.kind === 'exhausted') this.#finishRun(run);
      else if (outcome.kind === 'full') return false;
      else if (outcome.kind === 'due') return !task.isFull;
      else if (outcome.kind !== 'limit') this.#block(outcome);
      if (ports.clock.monotonicMs() - startedAt >= SLICE_MS) return true;
    }
    return false;
  }

  #takeRun(): RecordRun | undefined {
    if (this.#run !== undefined) return this.#run;
    const run = this.#subscription.take();
    if (run !== undefined) {
      this.#noteArrival(run);
      this.#run = run;
      return run;
    }
    if (this.#subscription.failure !== undefined) this.#readAgain(this.#subscription.failure);
    this.#caughtUp = this.lag === 0;
    this.#noteEnds();
    return undefined;
  }

  #noteEnds(): void {
    const { ends } = this.#subscription;
    const { input, ports } = this.#parts;
    if (ends === undefined || !this.#stall.note(ends)) return;
    const message = 'an open transaction of a producer holds the input back; nothing behind it is read until it ends';
    ports.log.warn(message, { ...input, offset: ends.lastStableOffset, highWatermark: ends.highWatermark });
  }

  #finishRun(run: RecordRun): void {
    this.#run = undefined;
    this.#parts.proof.applied(run);
  }

  /** Said before anything that came of it can be committed. */
  #onOvertaken(): void {
    const { task, ports, input, proof } = this.#parts;
    this.#overtakenSaid = task.counters.clockOvertaken;
    proof.distrust();
    const message = 'records stamped before the clock came late: sessions may have been closed too early (C3)';
    ports.log.error(message, { ...input, clock: task.clock.now, clockOvertaken: this.#overtakenSaid });
  }

  #onFormerType(): void {
    const { settings, ports, input } = this.#parts;
    this.#formerTypeSaid = true;
    const message = `records from before the input had ${settings.input.timestampType} are read over (C6)`;
    ports.log.warn(message, { ...input });
  }

  #onFailedRecords(): void {
    const { task, ports, input } = this.#parts;
    this.#failedSaid = task.counters.failedRecords;
    const message = 'records could not be processed, which is a defect of this program; they are dead letters (I6)';
    ports.log.error(message, { ...input, failedRecords: this.#failedSaid, position: task.input.position });
  }

  /** Moves the clock where an answered request for the end has shown that nothing earlier is left (C3). */
  #observe(): void {
    const { task, proof } = this.#parts;
    const evidence = proof.evidence(task.input.position);
    if (evidence !== undefined) task.observe(evidence);
  }

  #noteArrival(run: RecordRun): void {
    this.#parts.proof.arrived(run, this.#caughtUp);
    this.#caughtUp = false;
    this.#readBackoff.reset();
  }

  #block(outcome: Exclude<StepOutcome, { kind: 'exhausted' | 'limit' | 'full' | 'due' }>): void {
    const { input, settings, ports } = this.#parts;
    if (outcome.kind === 'unknownSchema') {
      this.#waitingFor = `schema ${outcome.schemaId} of the registry`;
      this.#unattended(this.#prepare(outcome.schemaId));
    } else if (outcome.kind === 'held') {
      this.#waitingFor = `broker time: offset ${outcome.offset} is stamped ${outcome.timestamp}, over maxFutureMs ahead`;
      ports.log.error('partition held by a stamp from the future; check the clocks of the brokers', {
        ...input,
        ...outcome,
      });
      ports.clock.after(HELD_RETRY_MS, this.#unblock);
    } else {
      const why = wrongType(input, settings.input.timestampType, outcome);
      this.#waitingFor = why;
      this.#stopsWith = new PartitionStopped(why);
    }
  }

  readonly #unblock = (): void => {
    this.#waitingFor = undefined;
    this.wake();
  };

  async #prepare(schemaId: number): Promise<void> {
    const retryPause = new RetryPause(this.#parts.ports.clock);
    while (!this.#stopped) {
      try {
        await this.#parts.ports.decoder.prepare(schemaId);
        break;
      } catch (error) {
        this.#parts.ports.log.warn('schema not fetched; trying again', { ...this.#parts.input, schemaId, error });
        await retryPause.pause();
      }
    }
    this.#unblock();
  }

  #readAgain(failure: Error): void {
    if (failure instanceof PartitionStopped || failure instanceof Fatal) {
      this.#fail(failure);
      return;
    }
    this.#waitingFor = `the input: ${failure.message}`;
    this.#parts.ports.log.warn('reading the input is interrupted', { ...this.#parts.input, error: failure });
    this.#unattended(
      this.#readBackoff.pause().then(() => {
        if (this.#stopped) return;
        this.#subscription.onChange(undefined);
        this.#subscription.close();
        this.#parts.task.restartReading();
        this.#subscription = this.#subscribe();
        this.#unblock();
      }),
    );
  }

  #subscribe(): LogSubscription {
    const { ports, input, task } = this.#parts;
    const subscription = ports.input.subscribe(input, task.input.position, task.input.leaderEpoch);
    subscription.onChange(this.wake);
    return subscription;
  }

  #considerStop(): void {
    const isSettled = this.#committing === undefined && !this.#parts.task.hasUncut;
    if (this.#stopsWith !== undefined && isSettled) this.#fail(this.#stopsWith);
  }

  /** Commits at once where its pace allows it or the task is full, else when it will. */
  #considerCommit(turnStartedAt: DurationMs): void {
    const { task, ports } = this.#parts;
    if (this.#committing !== undefined || !task.hasUncut) return;
    const waiting = task.hasClosed ? (this.#caughtUp ? 'close' : 'closeBehind') : 'nobody';
    const delayMs = this.#pace.delayMs(ports.clock.monotonicMs(), waiting);
    this.#commitTimer?.();
    this.#commitTimer = undefined;
    if (delayMs === 0 || task.isFull) this.#cut(turnStartedAt);
    else this.#commitTimer = ports.clock.after(delayMs, this.wake);
  }

  /** One slice of the cut, of what is left of the turn but never of nothing, and with the last the commit. */
  #cut(turnStartedAt: DurationMs): void {
    const { task, ports, cutSliceBytes } = this.#parts;
    this.#cutBeganAt ??= ports.clock.monotonicMs();
    for (let piece = 0; piece < CUT_SLICE_PIECES; piece += 1) {
      if (task.prepareCut(cutSliceBytes / CUT_SLICE_PIECES)) {
        this.#committing = this.#commit();
        return;
      }
      if (ports.clock.monotonicMs() - turnStartedAt >= SLICE_MS) break;
    }
    this.wake();
  }

  async #commit(): Promise<void> {
    const { ports, task, committer, budget, flusher, truncator } = this.#parts;
    const startedAt = this.#cutBeganAt ?? ports.clock.monotonicMs();
    this.#cutBeganAt = undefined;
    this.#pace.began(startedAt);
    try {
      const outcome = await committer.commit();
      if (outcome.kind === 'letGo') {
        this.#end(outcome);
        return;
      }
      const endedAt = ports.clock.monotonicMs();
      this.#pace.ended(endedAt);
      this.commitDurations.add(endedAt - startedAt);
      this.commitHistogram.add(endedAt - startedAt);
      this.#countCloses(outcome.closed);
      task.limitCut(budget.bytesMax);
      truncator.committed(outcome.floor, outcome.bytes);
      flusher.offer();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#committing = undefined;
      this.wake();
    }
  }

  /** History that is replayed was due long ago: it says nothing of how late this task is. */
  #countCloses(closed: readonly { readonly closedAt: Millis }[]): void {
    const { settings, ports } = this.#parts;
    if (settings.input.timestampType === 'CreateTime') return;
    const now = ports.clock.wallMs();
    for (const { closedAt } of closed) this.closeDelays.add(now - closedAt);
  }

  #considerProof(): void {
    this.#proofTimer?.();
    this.#proofTimer = undefined;
    if (!this.#caughtUp || this.#waitingFor !== undefined) return;
    const { task, proof, ports } = this.#parts;
    const { closedByTimeout, closedByMaxDuration } = task.counters;
    const silence = {
      clock: task.clock.now,
      earliestDue: task.earliestDue(),
      live: task.input.live,
      closed: closedByTimeout + closedByMaxDuration,
    };
    const advice = proof.advise(silence, ports.clock.monotonicMs());
    if (advice.kind === 'wait') this.#proofTimer = ports.clock.after(advice.delayMs, this.wake);
    else if (advice.kind === 'ask') this.#unattended(proof.ask(advice.timestamp).then(this.wake));
  }

  /** A proof that is written and not read (X5): the leader that is read from may have been deposed. */
  #watchReadBack(): void {
    const { proof, ports, input, task } = this.#parts;
    const { ends } = this.#subscription;
    const isHeld = ends !== undefined && ends.lastStableOffset < ends.highWatermark;
    const { alarm, doubt, againInMs } = this.#readBack.note(proof.owedSinceMs, isHeld, ports.clock.monotonicMs());
    this.#readBackTimer?.();
    this.#readBackTimer = againInMs === undefined ? undefined : ports.clock.after(againInMs, this.wake);
    if (alarm)
      ports.log.error('the input is read from a leader that does not show what is written', {
        ...input,
        waitsFor: UNREAD_PROOF,
        position: task.input.position,
        highWatermark: ends?.highWatermark,
      });
    if (doubt) this.#subscription.lookAgain();
  }

  #end(end: TaskEnd): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#parts.onEnd(end);
  }
}

type TimestampType = PipelineSettings['input']['timestampType'];

/** Whoever does what this says loses nothing: a partition stands exactly where its log has changed. */
function wrongType(
  { topic, partition }: TopicPartition,
  wanted: TimestampType,
  { offset, hasBegun }: Extract<StepOutcome, { kind: 'wrongTimestampType' }>,
): string {
  const found: TimestampType = wanted === 'LogAppendTime' ? 'CreateTime' : 'LogAppendTime';
  const at = `${topic}/${partition} offset ${offset} is of timestamp type ${found}, input.timestampType is "${wanted}"`;
  if (!hasBegun)
    return (
      `${at}. It came after this start. Set input.timestampType to "${found}" and restart. Or, if no other application ` +
      `reads the topic (it may stop at the change): set message.timestamp.type of the topic to ${wanted} and restart; what is ` +
      'of the other type until then is read over'
    );
  return (
    `${at}, and so were the records before, which are all committed. To go on from here set input.timestampType to ` +
    `"${found}" and restart, once every partition has stopped at this change. If the topic was altered by mistake, set its ` +
    `message.timestamp.type back first, and the configuration where the partitions stop again`
  );
}
