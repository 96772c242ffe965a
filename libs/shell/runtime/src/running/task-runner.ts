// One task on one instance, from assignment to the end: brings it up, lets it run, lets it go.
//
// Owns: the task's state (task-state.ts), and what is wanted of it.      Does not own: whether the partition is ours (the
// group, asked through `confirmOwned`), what the task holds (TaskHoldings).
//
// Invariants
//   TR1  State changes follow TASK_TRANSITIONS.
//   TR2  The store is closed before `onClosed` is called: a successor may open it.
//   TR3  Whatever is thrown about this partition ends here: it stops this task at most, and only Fatal goes on to the process.
import { assert, type Cancel, Corrupt, type DurationMs, type Fatal, Fenced, Retriable } from '@flatline/base';
import type { TimerInspection } from '@flatline/partition';
import { OWNERSHIP_CERTAIN_MS } from '../limits.ts';
import { RetryPause } from '../retry-pause.ts';
import { inputOf, placeInLog } from '../task-place.ts';
import { TASK_TRANSITIONS, type TaskState } from '../task-state.ts';
import { type TaskStatus, taskStatus } from './task-status.ts';
import { chosenProof } from './proof-choice.ts';
import { GIVEN_AWAY } from '../committing/commit-look-up.ts';
import { contained } from './contained.ts';
import { verdictOn } from './failure-verdict.ts';
import { RecordFailures } from './record-failures.ts';
import { StopRetry } from './stop-retry.ts';
import { type RestoredTask, TaskHoldings, type TaskHoldingsParts } from './task-holdings.ts';
import type { TaskEnd } from '../loop-events.ts';
import { TaskLoop } from './task-loop.ts';
import { startTask, type TaskStartParts } from './task-start.ts';
import { Truncator } from '../committing/truncator.ts';

/** What the runner itself adds. */
type OfRunner = 'abandon' | 'assureOwned' | 'failures';

export interface TaskRunnerParts extends Omit<TaskStartParts, OfRunner>, TaskHoldingsParts {
  /** Upper bound on what one slice of a cut writes, before the event loop gets its turn. */
  readonly cutSliceBytes: number;
  /** The runner is closed for good. */
  readonly onClosed: () => void;
  /** Something that ends the process. */
  readonly onFatal: (error: Fatal) => void;
}

export class TaskRunner {
  readonly #parts: TaskRunnerParts;
  readonly #holdings: TaskHoldings;
  readonly #failures = new RecordFailures();
  readonly #abandon = new AbortController();
  #state: TaskState = 'created';
  #detail: string | undefined;
  /** What is wanted of it; a restore in progress obeys when it ends. */
  #wanted: 'run' | 'moveAway' | 'close' = 'run';
  #starting: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #handover: Cancel | undefined;
  /** A stopped one lets go of what it held, and may try again by itself. */
  #stopping: Promise<void> | undefined;
  #retry: Cancel | undefined;
  readonly #stopRetry: StopRetry | undefined;
  #restoreMs: DurationMs | undefined;
  #takeoverMs: DurationMs | undefined;

  constructor(parts: TaskRunnerParts) {
    this.#parts = parts;
    this.#holdings = new TaskHoldings(parts);
    const { stoppedRetryMs } = parts.settings;
    this.#stopRetry = stoppedRetryMs === undefined ? undefined : new StopRetry(stoppedRetryMs);
  }

  get partition(): number {
    return this.#parts.partition;
  }

  get state(): TaskState {
    return this.#state;
  }

  status(): TaskStatus {
    const [state, detail, restoreMs, takeoverMs] = [this.#state, this.#detail, this.#restoreMs, this.#takeoverMs];
    return taskStatus(this.#parts, this.#holdings, { state, detail, restoreMs, takeoverMs });
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
    assert(this.#starting === undefined, 'a task starts once');
    this.#starting = this.#endingWith(this.#start(assignedAtMs));
  }

  /** `assignedAtMs`: by default the group is asked first. Trying on an old answer would fence whoever owns it now. */
  async #start(assignedAtMs: DurationMs = -Infinity): Promise<void> {
    const { clock, log } = this.#parts.ports;
    const retryPause = new RetryPause(clock);
    const startedAt = clock.monotonicMs();
    this.#become('restoring');
    for (let saidAtMs = assignedAtMs; this.#wanted === 'run'; saidAtMs = -Infinity) {
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
        if (!isTransient(error)) {
          this.#onEnd({ kind: 'failed', error });
          return;
        }
        // No `===` here: to the compiler it still is what the loop has seen.
        if (this.#isToClose) {
          log.info('restoring is given up', { ...placeInLog(this.#parts), why: error.message });
          return;
        }
        this.#detail = error.message;
        log.warn('restoring is interrupted; trying again', { ...placeInLog(this.#parts), error });
        await retryPause.pause();
      }
    }
    if (this.#wanted === 'moveAway') this.#letGo(false);
  }

  get #isToClose(): boolean {
    return this.#wanted === 'close';
  }

  /** What the group said at `sureAtMs` may not hold any more: restoring takes long, and the process may have stood still. */
  async #assureOwned(sureAtMs: DurationMs): Promise<void> {
    if (this.#isCertain(sureAtMs) && this.#wanted === 'run') return;
    if (!(await this.#parts.confirmOwned())) throw new Fenced(GIVEN_AWAY);
  }

  #isCertain(saidAtMs: DurationMs): boolean {
    return this.#parts.ports.clock.monotonicMs() - saidAtMs < OWNERSHIP_CERTAIN_MS;
  }

  async #restoreAndRun(assureOwned: () => Promise<void>): Promise<void> {
    const parts = { ...this.#parts, abandon: this.#abandon.signal, assureOwned, failures: this.#failures };
    const task = await startTask(parts, this.#holdings);
    if ('kind' in task) this.#onEnd(task);
    else this.#run(task);
  }

  #run({ restored, committer }: RestoredTask): void {
    const { settings, ports, cutSliceBytes, budget } = this.#parts;
    const { task, flusher, last, restoredFrom, fencedAtMs } = restored;
    this.#detail = undefined;
    this.#become('running');
    this.#holdings.run(
      new TaskLoop({
        input: inputOf(this.#parts),
        settings,
        ports,
        cutSliceBytes,
        committer,
        budget,
        task,
        flusher,
        proof: chosenProof(this.#parts, restored),
        truncator: new Truncator(this.#parts),
        onEnd: this.#onEnd,
      }),
    );
    this.#takeoverMs = Math.round(ports.clock.monotonicMs() - fencedAtMs);
    const facts = { liveEntries: task.liveEntries, restoredFrom, takeoverMs: this.#takeoverMs };
    ports.log.info('task runs', { ...placeInLog(this.#parts), ...facts });
    const { origin } = task.input;
    if (last === undefined && origin > 0)
      ports.log.info('the input is read from here on', { ...placeInLog(this.#parts), origin });
    flusher.offer();
    if (this.#wanted === 'moveAway') this.moveAway();
  }

  /** The group gave the partition to another member: runs on until that one fences it, or for `handoverMs`. */
  moveAway(): void {
    const { clock } = this.#parts.ports;
    if (this.#wanted === 'run') this.#wanted = 'moveAway';
    if (this.#state === 'stopped') this.#letGo(false);
    if (this.#state !== 'running' || this.#handover !== undefined) return;
    this.#become('draining');
    this.yieldStore();
    this.#handover = clock.after(this.#parts.settings.handoverMs, () => {
      this.#letGo(true);
    });
  }

  /** Its next owner may be another process over the same directory, which waits for the store. */
  yieldStore(): void {
    const { isShared } = this.#parts.ports.stores;
    if (isShared && (this.#state === 'running' || this.#state === 'draining')) void this.#holdings.giveUpStore();
  }

  /** The group gave it back before anyone took it. */
  comeBack(): void {
    this.#handover?.();
    this.#handover = undefined;
    if (this.#state === 'draining' && this.#closing === undefined) this.#become('running');
    if (this.#wanted === 'moveAway') this.#wanted = 'run';
  }

  /** A stopped one tries again, from its last commit, if the partition is still ours. False where it has not stopped. */
  restart(): boolean {
    if (this.#state !== 'stopped' || this.#wanted !== 'run') return false;
    this.#retry?.();
    this.#bringUpAgain(this.#stopping ?? Promise.resolve());
    return true;
  }

  /** Ends: commits the rest and flushes if `cleanly`, closes the store. Idempotent. */
  close(cleanly: boolean): Promise<void> {
    this.#wanted = 'close';
    this.#abandon.abort();
    // Not shown as running any more.
    if (this.#state === 'running') this.#become('draining');
    this.#closing ??= this.#closeAfterStart(cleanly);
    return this.#closing;
  }

  /** `close` without waiting for it: it never rejects. */
  #letGo(cleanly: boolean): void {
    void this.close(cleanly);
  }

  async #closeAfterStart(cleanly: boolean): Promise<void> {
    this.#retry?.();
    await this.#starting;
    this.#handover?.();
    await this.#holdings.release(cleanly);
    this.#become('closed');
    this.#parts.onClosed();
  }

  /** The loop or the start cannot go on. */
  readonly #onEnd = (end: TaskEnd): void => {
    const { ports, onFatal } = this.#parts;
    if (end.kind === 'letGo') {
      const { because, why } = end;
      ports.log.info('task is let go', { ...placeInLog(this.#parts), because, why });
      this.#letGo(false);
      return;
    }
    const place = { ...inputOf(this.#parts), position: this.#holdings.task?.input.position };
    const verdict = verdictOn(end.error, place, (failed) => this.#failures.note(failed, ports.clock.monotonicMs()));
    ports.log.error(verdict.message, { ...placeInLog(this.#parts), ...verdict.facts });
    if (verdict.kind === 'stop') this.#stop(verdict);
    else if (verdict.kind === 'endProcess') onFatal(verdict.error);
    else if (this.#wanted === 'run' && this.#state === 'running') {
      this.#detail = verdict.why;
      this.#bringUpAgain(this.#holdings.release(false));
    } else this.#letGo(false);
  };

  /** Once what it held is released. */
  #bringUpAgain(released: Promise<void>): void {
    this.#become('restoring');
    this.#starting = this.#endingWith(
      released.then(() => {
        this.#holdings.forget();
        return this.#start();
      }),
    );
  }

  #stop({ why, isMendable }: { readonly why: string; readonly isMendable: boolean }): void {
    this.#detail = why;
    this.#stopping = contained(this.#parts, 'stopping', this.#stopForOperator());
    if (!isMendable || this.#stopRetry === undefined) return;
    const { clock } = this.#parts.ports;
    this.#retry = clock.after(this.#stopRetry.delayAt(clock.monotonicMs()), () => {
      this.restart();
    });
  }

  /** Keeps the state to be seen, holds nothing that another owner would need. */
  async #stopForOperator(): Promise<void> {
    this.#become('stopped');
    await this.#holdings.release(false);
    if (this.#wanted !== 'run') this.#letGo(false);
  }

  /** What brings the task up may fail where it would try again, too: then nothing does, and the task has failed (I6). */
  async #endingWith(bringingUp: Promise<void>): Promise<void> {
    try {
      await bringingUp;
    } catch (error) {
      this.#onEnd({ kind: 'failed', error });
    }
  }

  #become(next: TaskState): void {
    if (next === this.#state) return;
    assert(TASK_TRANSITIONS[this.#state].includes(next), 'a task changes state along its table', {
      from: this.#state,
      to: next,
    });
    this.#state = next;
  }
}

/** Whether another try may succeed: not after an order to stop, nor after anything unknown. */
function isTransient(error: unknown): error is Retriable | Fenced | Corrupt {
  return error instanceof Retriable || error instanceof Fenced || error instanceof Corrupt;
}
