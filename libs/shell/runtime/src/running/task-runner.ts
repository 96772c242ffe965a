// One task on one instance, from assignment to the end: brings it up, lets it run, lets it go.
//
// Owns: the task's state (task-state.ts has its picture and table), the timer of that state.
// Does not own: whether the partition is ours (the group, asked through `confirmOwned`), what the task holds (TaskHoldings).
//
// Invariants
//   TR1  One thing is under way at a time: bringing up, or releasing. Closing begins once that has ended.
//   TR2  The store is closed before `onClosed` is called: a successor may open it.
//   TR3  Whatever is thrown about this partition ends here: it stops this task at most, and only Fatal goes on to the process.
import { type Cancel, Corrupt, type DurationMs, type Fatal, Fenced, Retriable } from '@flatline/base';
import { type PartitionTask, RecordFailed, type TimerInspection } from '@flatline/partition';
import { OWNERSHIP_CERTAIN_MS } from '../limits.ts';
import { RetryPause } from '../retry-pause.ts';
import { placeInLog, type TaskContext } from '../task-context.ts';
import { afterTaskEvent, type TaskEvent, type TaskState } from '../task-state.ts';
import { type TaskStatus, taskStatus } from './task-status.ts';
import { chosenProofs } from './proof-choice.ts';
import { GIVEN_AWAY } from '../committing/commit-look-up.ts';
import { contained } from './contained.ts';
import { lookAtOnce, lookUpIn } from './entry-look-up.ts';
import { pageOf } from './entry-page.ts';
import type { EntryPage, EntryPageHow, LookUp, LookUpHow } from '../look-up.ts';
import { type FailurePlace, verdictOn } from './failure-verdict.ts';
import { RecordFailures } from './record-failures.ts';
import { StopRetry } from './stop-retry.ts';
import { TaskHoldings } from './task-holdings.ts';
import type { TaskEnd } from '../loop-events.ts';
import { TaskLoop } from './task-loop.ts';
import { type StartedTask, startTask } from './task-start.ts';
import type { CommitBudget } from '../committing/commit-budget.ts';
import type { Standby } from '../restoring/standby.ts';
import { Truncator } from '../committing/truncator.ts';

export interface TaskRunnerParts {
  readonly context: TaskContext;
  /** Outlives the task: what was seen of the brokers holds for its successor. */
  readonly budget: CommitBudget;
  /** This instance's standby of the partition: the task goes on from what it holds. */
  readonly standby: Standby | undefined;
  /** True if a warm start loaded that standby: no other instance owned the partition meanwhile. */
  readonly isWarmStart: boolean;
  /** True if the group, asked now, says that the partition is ours; waits until it can say. @throws Retriable */
  readonly confirmOwned: () => Promise<boolean>;
  /** The runner is closed for good. */
  readonly onClosed: () => void;
  /** Something that ends the process. */
  readonly onFatal: (error: Fatal) => void;
}

export class TaskRunner {
  readonly #parts: TaskRunnerParts;
  readonly #context: TaskContext;
  readonly #holdings: TaskHoldings;
  readonly #failures = new RecordFailures();
  readonly #abandon = new AbortController();
  #state: TaskState = { kind: 'created' };
  /** Ends with the state: how long it drains, when a stopped one tries again. */
  #timer: Cancel | undefined;
  /** Bringing up, or releasing what a stopped one held. Never rejects. */
  #underWay: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  readonly #stopRetry: StopRetry | undefined;
  #restoreMs: DurationMs | undefined;
  #takeoverMs: DurationMs | undefined;

  constructor(parts: TaskRunnerParts) {
    this.#parts = parts;
    this.#context = parts.context;
    this.#holdings = new TaskHoldings(parts.context, parts.standby);
    const { stoppedRetryMs } = parts.context.settings;
    this.#stopRetry = stoppedRetryMs === undefined ? undefined : new StopRetry(stoppedRetryMs);
  }

  get partition(): number {
    return this.#context.partition;
  }

  get runs(): boolean {
    return this.#state.kind === 'running';
  }

  status(): TaskStatus {
    const { kind } = this.#state;
    return taskStatus(this.#context, this.#holdings, {
      state: kind === 'closing' ? 'draining' : kind,
      detail: 'detail' in this.#state ? this.#state.detail : undefined,
      restoreMs: this.#restoreMs,
      takeoverMs: this.#takeoverMs,
    });
  }

  /** Returns the key's state where a task runs here and the state is committed as it stands; undefined: `lookUp` tells. */
  lookAtOnce(key: Uint8Array, show: LookUpHow['show']): LookUp | undefined {
    const { kind } = this.#state;
    const { task } = this.#holdings;
    if (task === undefined || (kind !== 'running' && kind !== 'draining')) return undefined;
    return lookAtOnce({ task, partition: this.partition }, key, show);
  }

  /** Returns the key's state, by a task that runs here; else why it cannot be said. */
  async lookUp(key: Uint8Array, how: LookUpHow): Promise<LookUp> {
    const running = this.#running;
    if (running === undefined) return this.#absence;
    const { task, loop } = running;
    const { commits, readEnds } = loop;
    return lookUpIn({ task, settledCuts: commits.settledCuts, readEnds, partition: this.partition }, key, how);
  }

  /** The same of entries as one of its commits left them. */
  async page(how: EntryPageHow): Promise<EntryPage> {
    const running = this.#running;
    if (running === undefined) return this.#absence;
    const { task, loop } = running;
    return pageOf({ task, cutLooks: loop.commits.cutLooks, partition: this.partition }, how);
  }

  get #running(): { readonly task: PartitionTask; readonly loop: TaskLoop } | undefined {
    const { kind } = this.#state;
    const { task, loop } = this.#holdings;
    const runs = kind === 'running' || kind === 'draining';
    return runs && task !== undefined && loop !== undefined ? { task, loop } : undefined;
  }

  /** Why nothing can be said. */
  get #absence(): Extract<LookUp, { readonly kind: 'restoring' | 'moving' }> {
    if (this.#isLetGo) return { kind: 'moving', detail: 'this instance lets the partition go' };
    const detail = 'detail' in this.#state ? this.#state.detail : undefined;
    const isStopped = this.#state.kind === 'stopped';
    return { kind: 'restoring', detail: detail ?? (isStopped ? 'the partition has stopped' : 'it is being restored') };
  }

  /** V8; undefined while there is no state. */
  timers(): TimerInspection | undefined {
    return this.#holdings.task?.timers();
  }

  /** Which invariants of the task do not hold, in words. For checks. */
  inspect(): readonly string[] {
    return this.#holdings.inspect();
  }

  /**
   * Restores and runs. Tries again while the brokers do not answer, and the group says that the partition is still ours.
   * `assignedAtMs`: when the group said so last.
   */
  start(assignedAtMs: DurationMs): void {
    this.#happened({ kind: 'bringUp', why: undefined });
    this.#underWay = this.#endingWith(this.#start(assignedAtMs));
  }

  /** `assignedAtMs`: by default the group is asked first. Trying on an old answer would fence whoever owns it now. */
  async #start(assignedAtMs: DurationMs = -Infinity): Promise<void> {
    const { clock, log } = this.#context.ports;
    const retryPause = new RetryPause(clock);
    const startedAt = clock.monotonicMs();
    for (let saidAtMs = assignedAtMs; this.#isToRun; saidAtMs = -Infinity) {
      const isSure = this.#isCertain(saidAtMs);
      const sureAtMs = isSure ? saidAtMs : clock.monotonicMs();
      try {
        if (!isSure && !(await this.#parts.confirmOwned())) {
          this.#onEnd({ kind: 'letGo', because: 'reassigned', why: GIVEN_AWAY });
          return;
        }
        await this.#restoreAndRun(() => this.#assureOwned(sureAtMs));
        this.#restoreMs = clock.monotonicMs() - startedAt;
        return;
      } catch (error) {
        await this.#holdings.releaseStore();
        if (!isTransient(error) || this.runs) {
          this.#onEnd({ kind: 'failed', error });
          return;
        }
        if (this.#isLetGo) {
          log.info('restoring is given up', { ...placeInLog(this.#context), why: error.message });
          return;
        }
        this.#happened({ kind: 'obstructed', why: error.message });
        log.warn('restoring is interrupted; trying again', { ...placeInLog(this.#context), error });
        await retryPause.pause();
      }
    }
    if (this.#isToMove) this.#letGo(false);
  }

  /** True while it is brought up for this process, neither let go nor given to another. */
  get #isToRun(): boolean {
    return this.#state.kind === 'restoring' && !this.#state.isToMove;
  }

  get #isToMove(): boolean {
    return this.#state.kind === 'restoring' && this.#state.isToMove;
  }

  get #isLetGo(): boolean {
    return this.#state.kind === 'closing' || this.#state.kind === 'closed';
  }

  /** Asks the group again if its answer of `sureAtMs` is too old: restoring takes long, and the process may have stood still. */
  async #assureOwned(sureAtMs: DurationMs): Promise<void> {
    if (this.#isCertain(sureAtMs) && this.#isToRun) return;
    if (!(await this.#parts.confirmOwned())) throw new Fenced(GIVEN_AWAY);
  }

  #isCertain(saidAtMs: DurationMs): boolean {
    return this.#context.ports.clock.monotonicMs() - saidAtMs < OWNERSHIP_CERTAIN_MS;
  }

  async #restoreAndRun(assureOwned: () => Promise<void>): Promise<void> {
    const { context, budget, isWarmStart, confirmOwned } = this.#parts;
    const abandon = this.#abandon.signal;
    const task = await startTask(
      { context, budget, isWarmStart, confirmOwned, abandon, assureOwned, failures: this.#failures },
      this.#holdings,
    );
    if ('kind' in task) this.#onEnd(task);
    else this.#run(task);
  }

  #run({ restored, committer, topicIds }: StartedTask): void {
    const { context, budget } = this.#parts;
    const { ports } = context;
    const { task, flusher, last, restoredFrom, fencedAtMs, claimHeard } = restored;
    const isToMove = this.#isToMove;
    this.#happened({ kind: 'restored' });
    // Let go while it was brought up: nothing is read any more.
    if (!this.runs) return;
    this.#holdings.run(
      new TaskLoop({
        context,
        task,
        committer,
        budget,
        truncator: new Truncator(context),
        flusher,
        proofs: chosenProofs(context, task, claimHeard),
        topicIds,
        onEnd: this.#onEnd,
      }),
    );
    this.#takeoverMs = Math.round(ports.clock.monotonicMs() - fencedAtMs);
    const facts = { liveEntries: task.liveEntries, restoredFrom, takeoverMs: this.#takeoverMs };
    ports.log.info('task runs', { ...placeInLog(this.#context), ...facts });
    const { origin } = task.input;
    if (last === undefined && origin > 0)
      ports.log.info('the input is read from here on', { ...placeInLog(this.#context), origin });
    flusher.offer();
    if (isToMove) this.moveAway();
  }

  /** The group gave the partition to another member: runs on until that one fences it, or for `handoverMs`. */
  moveAway(): void {
    const { ports, settings } = this.#context;
    const didRun = this.runs;
    this.#happened({ kind: 'moveAway', untilMs: ports.clock.monotonicMs() + settings.handoverMs });
    if (didRun) this.yieldStore();
  }

  /** The process leaves the group: another member will take it over. */
  handOver(): void {
    this.#holdings.loop?.commits.handOver(true);
    this.yieldStore();
  }

  /** Its next owner may be another process over the same directory, which waits for the store. */
  yieldStore(): void {
    const { isShared } = this.#context.ports.stores;
    if (isShared && (this.runs || this.#state.kind === 'draining')) void this.#holdings.giveUpStore();
  }

  /**
   * The group gave it back. `wasAway`: another may have owned it meanwhile, and made commits: what stops it, or did, before a commit
   * of its own says nothing about those, and it begins again from the last commit.
   */
  comeBack(wasAway: boolean): void {
    const mayBeBehind = wasAway || this.#state.kind === 'draining';
    const settledCuts = mayBeBehind ? this.#holdings.task?.settledCuts : undefined;
    this.#happened({ kind: 'comeBack', settledCuts });
    if (mayBeBehind) this.restart();
  }

  /** True if it was given back, and has not committed since. */
  get #mayBeBehind(): boolean {
    if (this.#state.kind !== 'running') return false;
    const { cutsWhenBack } = this.#state;
    return cutsWhenBack !== undefined && cutsWhenBack === this.#holdings.task?.settledCuts;
  }

  /** A stopped one tries again, from its last commit, if the partition is still ours. False where it has not stopped. */
  restart(): boolean {
    if (this.#state.kind !== 'stopped') return false;
    this.#bringUpAgain(undefined, this.#underWay ?? Promise.resolve());
    return true;
  }

  /** Ends: commits the rest and flushes if `cleanly`, closes the store. Idempotent. */
  close(cleanly: boolean): Promise<void> {
    this.#happened({ kind: 'close' }, cleanly);
    return this.#closing ?? Promise.resolve();
  }

  /** `close` without waiting for it: it never rejects. */
  #letGo(cleanly: boolean): void {
    void this.close(cleanly);
  }

  async #release(cleanly: boolean): Promise<void> {
    await this.#underWay;
    await this.#holdings.release(cleanly);
    this.#happened({ kind: 'released' });
    this.#parts.onClosed();
  }

  /** The loop or the start cannot go on. */
  readonly #onEnd = (end: TaskEnd): void => {
    const { ports } = this.#context;
    if (end.kind === 'letGo') {
      const { because, why } = end;
      ports.log.info('task is let go', { ...placeInLog(this.#context), because, why });
      this.#letGo(false);
      return;
    }
    const verdict = verdictOn(end.error, this.#placeOf(end.error), (failed) =>
      this.#failures.note(failed, ports.clock.monotonicMs()),
    );
    if (verdict.kind === 'stop' && this.#mayBeBehind) {
      ports.log.warn('task begins again, since another may have owned its partition', {
        ...placeInLog(this.#context),
        ...verdict.facts,
      });
      this.#bringUpAgain(verdict.why, this.#holdings.release(false));
      return;
    }
    ports.log.error(verdict.message, { ...placeInLog(this.#context), ...verdict.facts });
    if (verdict.kind === 'stop') this.#stop(verdict);
    else if (verdict.kind === 'endProcess') this.#parts.onFatal(verdict.error);
    else if (this.runs) this.#bringUpAgain(verdict.why, this.#holdings.release(false));
    else this.#letGo(false);
  };

  /** The place of a record that failed is in its own input (S8). */
  #placeOf(error: unknown): FailurePlace {
    const { inputs } = this.#context;
    const number = error instanceof RecordFailed ? error.input : 0;
    const { topic, partition } = inputs[number]!;
    return { topic, partition, position: this.#holdings.task?.inputAt(number).position };
  }

  /** Once what it held is released. */
  #bringUpAgain(why: string | undefined, released: Promise<void>): void {
    this.#happened({ kind: 'bringUp', why });
    this.#underWay = this.#endingWith(
      released.then(() => {
        this.#holdings.forget();
        return this.#start();
      }),
    );
  }

  /** Keeps the state to be seen, holds nothing that another owner would need. */
  #stop({ why, isMendable }: { readonly why: string; readonly isMendable: boolean }): void {
    const nowMs = this.#context.ports.clock.monotonicMs();
    const retryAtMs = isMendable && this.#stopRetry !== undefined ? nowMs + this.#stopRetry.delayAt(nowMs) : undefined;
    const isNew = this.#happened({ kind: 'stop', why, retryAtMs });
    if (isNew && this.#state.kind === 'stopped')
      this.#underWay = contained(this.#context, 'stopping', this.#holdings.release(false));
  }

  /** Bringing up the task may fail even where it would try again: then nothing else does, and the task has failed (I6). */
  async #endingWith(bringingUp: Promise<void>): Promise<void> {
    try {
      await bringingUp;
    } catch (error) {
      this.#onEnd({ kind: 'failed', error });
    }
  }

  /** `cleanly`: how it is let go, if that is what comes of it. True where it is in another kind of state now. */
  #happened(event: TaskEvent, cleanly = false): boolean {
    const before = this.#state.kind;
    this.#state = afterTaskEvent(this.#state, event);
    const { kind } = this.#state;
    if (kind === before) return false;
    this.#timer?.();
    this.#timer = this.#timerOf(this.#state);
    this.#holdings.loop?.commits.handOver(kind === 'draining');
    if (kind === 'closing') {
      this.#abandon.abort();
      this.#closing = this.#release(cleanly);
    }
    return true;
  }

  #timerOf(state: TaskState): Cancel | undefined {
    const { clock } = this.#context.ports;
    if (state.kind === 'draining')
      return clock.after(state.untilMs - clock.monotonicMs(), () => {
        this.#letGo(true);
      });
    if (state.kind === 'stopped' && state.retryAtMs !== undefined)
      return clock.after(state.retryAtMs - clock.monotonicMs(), () => {
        this.restart();
      });
    return undefined;
  }
}

/** True if another try may succeed: not after an order to stop, nor after anything unknown. */
function isTransient(error: unknown): error is Retriable | Fenced | Corrupt {
  return error instanceof Retriable || error instanceof Fenced || error instanceof Corrupt;
}
