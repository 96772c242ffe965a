// One task on one instance, from assignment to the end: restores it, runs it, lets it go.
//
// Owns: the task's state (task-state.ts), its store and its loop.      Does not own: whether the partition is ours (the
// group, asked through `confirmOwned`).
//
// Invariants
//   TR1  State changes follow TASK_TRANSITIONS.
//   TR2  The store is closed before `onClosed` is called: a successor may open it.
//   TR3  Whatever is thrown about this partition ends here: it stops this task at most, and only Fatal goes on to the process.
import {
  assert,
  type Cancel,
  Corrupt,
  type DurationMs,
  Fatal,
  Fenced,
  PartitionStopped,
  Retriable,
} from '@flatline/base';
import {
  type CommitHeader,
  type InputPosition,
  messageOf,
  type PartitionTask,
  RecordFailed,
  type TimerInspection,
} from '@flatline/partition';
import type { TopicPartition } from '@flatline/ports';
import { OWNERSHIP_CERTAIN_MS } from '../instance/limits.ts';
import { RetryPause } from '../instance/retry-pause.ts';
import { turn } from '../turn.ts';
import type { CommitBudget } from './commit-budget.ts';
import { Committer } from './committer.ts';
import { FetchProof } from '../proof/fetch-proof.ts';
import { firstPosition, inputPosition } from './input-position.ts';
import { Prover } from '../proof/prover.ts';
import { RecordFailures } from './record-failures.ts';
import type { Replica } from '../restoring/replica.ts';
import { restore, type Restored, type RestoreParts } from '../restoring/restoring.ts';
import { ProofByClockRecord, ProofByEnd, type SilenceProof } from '../proof/silence-proof.ts';
import { placeInLog } from '../instance/task-place.ts';
import type { StandbyTask } from '../restoring/standby-task.ts';
import { type TaskEnd, TaskLoop } from './task-loop.ts';
import { TASK_TRANSITIONS, type TaskState } from '../instance/task-state.ts';
import type { TaskStatus } from '../instance/task-status.ts';
import { StoreDrops } from './store-drops.ts';
import { TaskStore } from './task-store.ts';
import { Truncator } from './truncator.ts';

/** What the runner itself adds for restoring. */
type OfRunner = 'store' | 'abandon' | 'assureOwned' | 'onReading';

export interface TaskRunnerParts extends Omit<RestoreParts, OfRunner> {
  /** Whether the group, asked now, says that the partition is ours; waits until it can say. @throws Retriable */
  readonly confirmOwned: () => Promise<boolean>;
  /** Of a cut, before the event loop gets its turn. */
  readonly cutSliceBytes: number;
  /** Outlives the runner: what was seen of the brokers holds for its successor. */
  readonly budget: CommitBudget;
  /** This instance's standby of the partition: the task goes on from what it holds. */
  readonly standby?: StandbyTask | undefined;
  /** An error of the local store's device. */
  readonly onStoreError: () => void;
  /** The runner is closed for good. */
  readonly onClosed: () => void;
  /** Something that ends the process. */
  readonly onFatal: (error: Fatal) => void;
}

export class TaskRunner {
  readonly #parts: TaskRunnerParts;
  #state: TaskState = 'created';
  #detail: string | undefined;
  #store: TaskStore | undefined;
  /** While restoring. */
  #reading: Replica | undefined;
  #restored: Restored | undefined;
  #committer: Committer | undefined;
  #loop: TaskLoop | undefined;
  #handover: Cancel | undefined;
  #closing: Promise<void> | undefined;
  #restoreMs: DurationMs | undefined;
  #takeoverMs: DurationMs | undefined;
  /** Until its state is taken. */
  #standby: StandbyTask | undefined;
  /** What is wanted of it meanwhile; a restore in progress finds out when it comes to its end. */
  #wanted: 'run' | 'moveAway' | 'close' = 'run';
  #starting: Promise<void> | undefined;
  readonly #abandon = new AbortController();
  readonly #failures = new RecordFailures();
  readonly #drops: StoreDrops;

  constructor(parts: TaskRunnerParts) {
    this.#parts = parts;
    this.#standby = parts.standby;
    this.#drops = parts.standby?.drops ?? new StoreDrops(parts);
  }

  get partition(): number {
    return this.#parts.partition;
  }

  get state(): TaskState {
    return this.#state;
  }

  /** Restores and runs. Tries again while the brokers do not answer, and the group says that the partition is still ours. */
  start(): void {
    assert(this.#starting === undefined, 'a task starts once');
    this.#starting = this.#endingWith(this.#start(true));
  }

  /** `isAssigned`: the group has just said so. A later try would fence whoever has become the owner since. */
  async #start(isAssigned: boolean): Promise<void> {
    const { clock, log } = this.#parts.ports;
    const retryPause = new RetryPause(clock);
    const startedAt = clock.monotonicMs();
    this.#become('restoring');
    for (let isSure = isAssigned; this.#wanted === 'run'; isSure = false) {
      const sureAtMs = clock.monotonicMs();
      try {
        if (!isSure && !(await this.#parts.confirmOwned())) {
          this.#onEnd({ kind: 'letGo', because: 'reassigned', why: GIVEN_AWAY });
          return;
        }
        await this.#restoreAndRun(() => this.#assureOwned(sureAtMs));
        this.#restoreMs = clock.monotonicMs() - startedAt;
        return;
      } catch (error) {
        await this.#releaseStore();
        if (!mayPass(error)) {
          this.#onEnd({ kind: 'failed', error });
          return;
        }
        this.#detail = error.message;
        log.warn('restoring is interrupted; trying again', { ...placeInLog(this.#parts), error });
        await retryPause.pause();
      }
    }
    if (this.#wanted === 'moveAway') this.#letGo(false);
  }

  /** What the group said at `sureAtMs` may not hold any more: restoring takes long, and the process may have stood still. */
  async #assureOwned(sureAtMs: DurationMs): Promise<void> {
    const isSure = this.#parts.ports.clock.monotonicMs() - sureAtMs < OWNERSHIP_CERTAIN_MS;
    if (isSure && this.#wanted === 'run') return;
    if (!(await this.#parts.confirmOwned())) throw new Fenced(GIVEN_AWAY);
  }

  /** The group gave the partition to another member: runs on until that one fences it, or for `handoverMs`. */
  moveAway(): void {
    const { clock } = this.#parts.ports;
    if (this.#wanted === 'run') this.#wanted = 'moveAway';
    if (this.#state === 'stopped') this.#letGo(false);
    if (this.#state !== 'running' || this.#handover !== undefined) return;
    this.#become('draining');
    this.#handover = clock.after(this.#parts.settings.handoverMs, () => {
      this.#letGo(true);
    });
  }

  /** The group gave it back before anyone took it. */
  comeBack(): void {
    this.#handover?.();
    this.#handover = undefined;
    if (this.#state === 'draining' && this.#closing === undefined) this.#become('running');
    if (this.#wanted === 'moveAway') this.#wanted = 'run';
  }

  /** Ends: commits the rest and flushes if `cleanly`, closes the store. Idempotent. */
  close(cleanly: boolean): Promise<void> {
    this.#wanted = 'close';
    this.#abandon.abort();
    // Nobody is to take it for one that will go on.
    if (this.#state === 'running') this.#become('draining');
    this.#closing ??= this.#closeAfterStart(cleanly);
    return this.#closing;
  }

  /** `close`, for those who do not wait for it: it never rejects. */
  #letGo(cleanly: boolean): void {
    void this.close(cleanly);
  }

  status(): TaskStatus {
    const task = this.#restored?.task;
    const clock = task?.clock.now ?? 0;
    const waitingFor = this.#loop?.waitingFor;
    const isRecovering = this.#committer?.isRecovering === true && this.#state === 'running';
    return {
      pipeline: this.#parts.settings.name,
      partition: this.partition,
      state: isRecovering ? 'recovering' : this.#state,
      detail: this.#detail ?? waitingFor ?? this.#reading?.obstacle,
      clock,
      liveEntries: task?.liveEntries ?? 0,
      stateFill: task?.stateFill ?? 0,
      lag: this.#loop?.lag,
      heldMs: task?.heldMs ?? 0,
      expiryLagMs: Math.max(0, clock - (task?.earliestDue() ?? clock)),
      position: task?.input.position,
      committedPosition: this.#committer?.committedPosition,
      counters: task === undefined ? undefined : { ...task.counters },
      commits: this.#loop?.commitDurations.percentiles(),
      commitDurations: this.#loop?.commitHistogram.status(),
      closeDelays: this.#loop?.closeDelays.status(),
      changelogBytes: task?.changelog.logBytes ?? 0,
      liveBytes: task?.changelog.liveBytes ?? 0,
      storesDropped: this.#drops.count,
      restoreMs: this.#restoreMs,
      takeoverMs: this.#takeoverMs,
    };
  }

  /** V8; undefined while there is no state. */
  timers(): TimerInspection | undefined {
    return this.#restored?.task.timers();
  }

  async #restoreAndRun(assureOwned: () => Promise<void>): Promise<void> {
    const { partition, settings, ports } = this.#parts;
    const standby = this.#standby;
    this.#standby = undefined;
    const warm = await standby?.handOver(this.#abandon.signal);
    this.#store =
      warm?.store ??
      (await TaskStore.open({ place: this.#parts, drops: this.#drops, onError: this.#parts.onStoreError }));
    const parts: RestoreParts = {
      ...this.#parts,
      store: this.#store,
      abandon: this.#abandon.signal,
      assureOwned,
      onReading: (replica) => {
        this.#reading = replica;
      },
    };
    const restored = await restore(parts, warm?.replica);
    this.#reading = undefined;
    this.#restored = restored;
    const { task, writer, claimOffset, claimId, last, flusher } = restored;
    const input = { topic: settings.inputTopic, partition };
    const { confirmOwned, budget } = this.#parts;
    this.#committer = new Committer({
      partition,
      settings,
      ports,
      task,
      writer,
      claimOffset,
      claimId,
      last,
      budget,
      confirmOwned,
    });
    try {
      task.resume(last?.clock ?? 0, await this.#position(input, last), last);
      for (const [offset, why] of this.#failures.refusedFrom(task.input.position)) task.refuseAt(offset, why);
      await this.#arm(task);
      // Before the clock has begun nothing tells former records from those of today but where the log ended (C6).
      if (task.clock.now === 0) task.allowFormerType(await ports.admin.replicatedEnd(input));
      if (last === undefined && task.input.start > 0 && !(await this.#commitStart(this.#committer))) return;
      // What moved it is not recorded: if not the last record read, it may have been evidence of C3.
      if (settings.proofByFetch !== undefined && task.clock.now > task.input.batchTimestamp)
        task.observe(task.clock.now);
    } catch (error) {
      await this.#committer.close();
      await flusher.stop();
      throw error;
    }
    this.#run(input, restored, this.#committer);
  }

  #position(input: TopicPartition, last: CommitHeader | undefined): Promise<InputPosition> {
    const { settings, ports } = this.#parts;
    const { startFrom } = settings;
    if (last === undefined) return firstPosition(input, startFrom, ports);
    if (startFrom !== 'earliest')
      ports.log.info('startFrom does not count: the partition has a state', {
        ...placeInLog(this.#parts),
        startFrom,
        position: last.inputs[0]!.position,
      });
    return inputPosition(input, last, ports);
  }

  /** Before anything is read, so that whoever comes next begins at the same place. False: the task is let go. */
  async #commitStart(committer: Committer): Promise<boolean> {
    const outcome = await committer.commit();
    if (outcome.kind === 'letGo') this.#onEnd(outcome);
    return outcome.kind === 'committed';
  }

  /** A turn for others between slices: nothing of the task goes on before. */
  async #arm(task: PartitionTask): Promise<void> {
    const { ports, armSlice } = this.#parts;
    while (!task.arm(armSlice)) {
      await turn(ports.turns);
      if (this.#abandon.signal.aborted) throw new Retriable('the task is not wanted any more');
    }
  }

  #run(input: TopicPartition, restored: Restored, committer: Committer): void {
    const { settings, ports, cutSliceBytes, budget } = this.#parts;
    const { clock, admin, log } = ports;
    const { truncateLagMs: lagMs, truncateLagBytes: lagBytes, changelogTopic } = settings;
    this.#detail = undefined;
    this.#become('running');
    this.#loop = new TaskLoop({
      input,
      settings,
      ports,
      cutSliceBytes,
      committer,
      budget,
      task: restored.task,
      flusher: restored.flusher,
      proof: this.#proofOf(input, restored),
      truncator: new Truncator({
        clock,
        admin,
        log,
        lagMs,
        lagBytes,
        changelog: { topic: changelogTopic, partition: this.partition },
      }),
      onEnd: this.#onEnd,
    });
    const { fromStandby, fencedAtMs } = restored;
    this.#takeoverMs = Math.round(clock.monotonicMs() - fencedAtMs);
    const facts = { liveEntries: restored.task.liveEntries, fromStandby, takeoverMs: this.#takeoverMs };
    log.info('task runs', { ...placeInLog(this.#parts), ...facts });
    const { start } = restored.task.input;
    if (restored.last === undefined && start > 0)
      log.info('the input is read from here on', { ...placeInLog(this.#parts), start });
    restored.flusher.offer();
    if (this.#wanted === 'moveAway') this.moveAway();
  }

  #proofOf(input: TopicPartition, { task, claimHeard }: Restored): SilenceProof {
    const { settings, ports } = this.#parts;
    const { proofIntervalMs, tickMs, proofByFetch, heldTime } = settings;
    const { timestampType } = settings.input;
    const now = ports.clock.monotonicMs();
    if (proofByFetch === undefined) {
      const unheardMs = heldTime?.unheardMs ?? 0;
      const prover = new Prover({ timestampType, proofIntervalMs, tickMs, unheardMs }, now);
      return new ProofByClockRecord({ input, settings, ports }, prover);
    }
    const fetchProof = new FetchProof({ proofIntervalMs, tickMs, ...proofByFetch });
    // The present is known from the start on: the clock was it once, and the claim was stamped by a broker just now.
    fetchProof.heard({ appendedAt: task.clock.now, receivedAtMs: now });
    if (claimHeard !== undefined) fetchProof.heard(claimHeard);
    return new ProofByEnd({ input, settings, ports, task }, fetchProof);
  }

  /** The loop or the restore cannot go on. */
  readonly #onEnd = (end: TaskEnd): void => {
    const { log, clock } = this.#parts.ports;
    if (end.kind === 'letGo') {
      const { because, why } = end;
      log.info('task is let go', { ...placeInLog(this.#parts), because, why });
      this.#letGo(false);
      return;
    }
    const { error } = end;
    if (error instanceof PartitionStopped) {
      log.error('partition stopped', { ...placeInLog(this.#parts), why: error.message });
      this.#stop(error.message);
    } else if (error instanceof Fatal) {
      log.error('the process cannot go on', { ...placeInLog(this.#parts), error });
      this.#parts.onFatal(error);
    } else this.#onFailure(error instanceof Error ? error : new Error(String(error)), clock.monotonicMs());
  };

  /** Something was thrown that says nothing of what to do: a defect of ours, or what a record makes of one (I6). */
  #onFailure(error: Error, monotonicNow: DurationMs): void {
    const { settings, ports } = this.#parts;
    const task = this.#restored?.task;
    const place = { topic: settings.inputTopic, partition: this.partition, position: task?.input.position };
    const failed = error instanceof RecordFailed ? error : undefined;
    const verdict = failed === undefined ? 'stop' : this.#failures.note(failed, monotonicNow);
    const facts = {
      ...placeInLog(this.#parts),
      ...place,
      offset: failed?.offset,
      next: verdict,
      error,
      stack: error.stack,
    };
    ports.log.error('task failed', facts);
    const at = failed === undefined ? `position ${place.position ?? 'unknown'}` : `offset ${failed.offset}`;
    const what = `${place.topic}/${place.partition} at ${at}: ${failed?.message ?? messageOf(error)}`;
    if (verdict === 'stop')
      this.#stop(
        `${what}. This is a defect of this program, not of the cluster; nothing is lost, the changelog stands at the last ` +
          'commit. Report it with this message; restart the process to try again',
      );
    else if (this.#wanted === 'run' && this.#state === 'running') this.#restart(`${what}; restoring to try again`);
    else this.#letGo(false);
  }

  /** Drops the state, which may be half changed, and begins again from the last commit. */
  #restart(why: string): void {
    this.#detail = why;
    this.#become('restoring');
    this.#starting = this.#endingWith(
      this.#release(false).then(() => {
        this.#loop = undefined;
        this.#committer = undefined;
        this.#restored = undefined;
        return this.#start(false);
      }),
    );
  }

  #stop(why: string): void {
    this.#detail = why;
    void this.#contained('stopping', this.#stopForOperator());
  }

  /** Keeps the state to be seen, holds nothing that another owner would need. */
  async #stopForOperator(): Promise<void> {
    this.#become('stopped');
    await this.#release(false);
    if (this.#wanted !== 'run') this.#letGo(false);
  }

  async #closeAfterStart(cleanly: boolean): Promise<void> {
    await this.#starting;
    this.#handover?.();
    await this.#contained('closing', this.#release(cleanly));
    this.#become('closed');
    this.#parts.onClosed();
  }

  /** Each part is let go of, whatever another one says. */
  async #release(cleanly: boolean): Promise<void> {
    await this.#contained('the last commit', this.#loop?.stop());
    if (cleanly) await this.#contained('committing the rest', this.#loop?.commitRest());
    await this.#contained('closing the writer', this.#committer?.close());
    const { flusher } = this.#restored ?? {};
    await this.#contained('flushing', cleanly ? flusher?.finish() : flusher?.stop());
    await this.#contained('closing the local store', this.#releaseStore());
    await this.#contained('closing the standby', this.#standby?.close(cleanly));
  }

  async #releaseStore(): Promise<void> {
    const store = this.#store;
    this.#store = undefined;
    await store?.close();
  }

  /** What it waits for may fail: that is said, and ends neither what comes after nor the process. */
  async #contained(doing: string, work: Promise<void> | undefined): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#parts.ports.log.error('a part of a task was not let go cleanly', {
        ...placeInLog(this.#parts),
        doing,
        error,
      });
    }
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

const GIVEN_AWAY = 'the group gave the partition to another member';

/** What another try may change. An order to stop is not, nor is whatever is no order at all. */
function mayPass(error: unknown): error is Retriable | Fenced | Corrupt {
  return error instanceof Retriable || error instanceof Fenced || error instanceof Corrupt;
}
