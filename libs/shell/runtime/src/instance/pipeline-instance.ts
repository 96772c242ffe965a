// One instance of one pipeline: a member of its group, a task for each partition the group assigns to it, and a standby for
// each it is to stand by for, or may well be assigned.
//
// Owns: the runners and the standbys.
// Does not own: the assignment (the group), anything inside a task.
//
// Invariants
//   PN1  At most one runner or standby per partition: its successor starts after it has closed, or takes a standby over.
//   PN2  A partition that moves away runs on until its new owner fences it (architecture, Ownership).
//   PN3  Before the first assignment there are only standbys, and a bounded number; after it none that it does not name.
import { type DurationMs, Fatal, Misconfigured, REQUEST_BYTES_MAX, StateInUse } from '@flatline/base';
import type { TaskOptions, TimerInspection } from '@flatline/partition';
import type { Assignment, InstancePartitions, LocalCheckpoint, LocalStore, MembershipListener } from '@flatline/ports';
import { pause } from '@flatline/system';
import { RetryPause } from '../retry-pause.ts';
import { CommitBudget } from '../committing/commit-budget.ts';
import { COMMIT_TIMEOUT_SHARE, STANDBY_STORE_AFTER_MS, TASK_BOUNDS, type TaskBounds } from '../limits.ts';
import { ProcessShare } from './process-share.ts';
import type { PipelinePorts, PipelineSettings } from '../settings.ts';
import { type StandbyStatus, Standby } from '../restoring/standby.ts';
import type { TaskContext, TaskInput } from '../task-context.ts';
import { TaskRunner } from '../running/task-runner.ts';
import type { EntryPage, EntryPageHow, LookUp, LookUpAtOnceHow, LookUpHow } from '../look-up.ts';
import { otherPartitionCount } from '../running/present-inputs.ts';
import type { TaskStatus } from '../running/task-status.ts';
import { OwnerWatch, type SilentOwner } from '../probing/owner-watch.ts';
import { warmStarts } from './warm-start.ts';

/** Interval at which a leaving instance checks if it still owns anything. */
const FENCE_LOOK_MS = 20;

/** Where a key is not answered for here. */
const WITH_ANOTHER = { kind: 'moving', detail: 'the partition is with another instance' } as const;
const WITH_STANDBY = { kind: 'moving', detail: 'the partition is with a standby that reads its changelog' } as const;

export interface PipelineInstanceParts {
  readonly settings: PipelineSettings;
  readonly ports: PipelinePorts;
  /** Called once, with the error that ends the process. */
  readonly onFatal: (error: Error) => void;
  /** Default: those of production. */
  readonly bounds?: TaskBounds;
  /** The process's share; default: this pipeline is the only one. */
  readonly share?: ProcessShare;
}

export class PipelineInstance implements MembershipListener {
  readonly #parts: PipelineInstanceParts;
  readonly #runners = new Map<number, TaskRunner>();
  readonly #share: ProcessShare;
  readonly #standbys = new Map<number, Standby>();
  /** By partition; kept when a runner closes. */
  readonly #budgets = new Map<number, CommitBudget>();
  /** undefined: no probes are sent (Q5). */
  readonly #ownerWatch: OwnerWatch | undefined;
  #assignment: Assignment | undefined;
  #assignedAtMs: DurationMs = -Infinity;
  /** The first assignment has not come: whatever stands by is a warm start (PN3). */
  #isMeeting = true;
  #leaving = false;
  #storeErrors = 0;
  /** Why membership is interrupted, for the status. */
  #interruption: string | undefined;

  constructor(parts: PipelineInstanceParts) {
    this.#parts = parts;
    const { share = new ProcessShare() } = parts;
    const runners = this.#runners;
    const standbys = this.#standbys;
    share.join({
      get running() {
        return runners.size;
      },
      get standingBy() {
        return standbys.size;
      },
    });
    this.#share = share;
    this.#ownerWatch = this.#watchOfOwners();
  }

  #watchOfOwners(): OwnerWatch | undefined {
    const { settings, ports } = this.#parts;
    const { owner: self, changelogTopic, probeIntervalMs: intervalMs } = settings;
    if (intervalMs === undefined) return undefined;
    const { clock, admin } = ports;
    return new OwnerWatch({ self, changelogTopic, intervalMs, clock, admin, instances: () => this.instances });
  }

  /** Joins the group, and meanwhile loads the partitions it will most likely get. Resolves as `Membership.start`. */
  async start(): Promise<void> {
    await this.#warmUp();
    if (this.#leaving) return;
    this.#ownerWatch?.start();
    await this.#parts.ports.membership.start(this);
  }

  assigned(assignment: Assignment): void {
    const former = this.#assignment?.generation;
    const { generation: now } = assignment;
    // A group that was empty for long counts from one again.
    const missedAny = former !== undefined && now !== former && now !== former + 1;
    this.#assignment = assignment;
    this.#assignedAtMs = this.#parts.ports.clock.monotonicMs();
    this.#interruption = undefined;
    const { name } = this.#parts.settings;
    const { generation, partitions, standbys = [] } = assignment;
    this.#parts.ports.log.info('partitions assigned', { pipeline: name, generation, partitions, standbys });
    if (partitions.some((partition) => partition >= this.#parts.settings.inputPartitions)) {
      this.#parts.onFatal(otherPartitionCount(this.#parts.settings));
      return;
    }
    for (const [partition, runner] of this.#runners) {
      if (partitions.includes(partition)) runner.comeBack(missedAny);
      else runner.moveAway();
    }
    this.#reconcile();
  }

  positions(): readonly LocalCheckpoint[] {
    return [...this.#standbys].flatMap(([partition, { position }]) =>
      position === undefined ? [] : [{ partition, changelogPosition: position }],
    );
  }

  lost(reason: string): void {
    this.#interruption = reason;
    this.#parts.ports.log.warn('membership interrupted; tasks run on until they are fenced', {
      pipeline: this.#parts.settings.name,
      reason,
    });
  }

  failed(error: Error): void {
    const End = [Misconfigured, StateInUse].find((kind) => error instanceof kind) ?? Fatal;
    this.#parts.onFatal(new End(`group ${this.#parts.settings.group}: ${error.message}`, error));
  }

  /** Leaves the group first, so that successors restore while these tasks still run; then commits, flushes and closes. */
  async stop(): Promise<void> {
    this.#leaving = true;
    this.#ownerWatch?.stop();
    const isAlone = this.#assignment?.partitions.length === this.#parts.settings.inputPartitions;
    await this.#parts.ports.membership.leave();
    await this.#closeStandbys(true);
    if (!isAlone) {
      for (const runner of this.#runners.values()) runner.handOver();
      await this.#fencedOr(this.#parts.settings.drainMs);
    }
    await Promise.all([...this.#runners.values()].map((runner) => runner.close(true)));
  }

  /** Ends at once, without commits: what a Fatal in another pipeline of this process asks for. */
  async abort(): Promise<void> {
    this.#leaving = true;
    this.#ownerWatch?.stop();
    await this.#parts.ports.membership.leave();
    await Promise.all([
      this.#closeStandbys(false),
      ...[...this.#runners.values()].map((runner) => runner.close(false)),
    ]);
  }

  /** True once every assigned partition runs. */
  get isReady(): boolean {
    const assignment = this.#assignment;
    if (assignment === undefined || this.#interruption !== undefined) return false;
    return assignment.partitions.every((partition) => this.#runners.get(partition)?.runs === true);
  }

  get interruption(): string | undefined {
    return this.#interruption;
  }

  /** Errors of the devices that hold local stores, since the start: each costs a store, none a task. */
  get storeErrors(): number {
    return this.#storeErrors;
  }

  status(): readonly TaskStatus[] {
    return [...this.#runners.values()].map((runner) => runner.status()).sort((a, b) => a.partition - b.partition);
  }

  standbys(): readonly StandbyStatus[] {
    return [...this.#standbys.values()].map((standby) => standby.status()).sort((a, b) => a.partition - b.partition);
  }

  /** Partitions of others that this instance looks after, and whose probes it does not see (Q5). */
  silentOwners(): readonly SilentOwner[] {
    return this.#ownerWatch?.silent() ?? [];
  }

  /** A stopped task tries again. False where it has not stopped, or is not here. */
  restart(partition: number): boolean {
    return this.#runners.get(partition)?.restart() ?? false;
  }

  /** Returns the state of the key, which is of the partition, where it can be said at once; undefined: `lookUp` tells. */
  lookAtOnce(partition: number, key: Uint8Array, how: LookUpAtOnceHow): LookUp | undefined {
    const runner = this.#runners.get(partition);
    if (runner !== undefined) return how.isNow ? undefined : runner.lookAtOnce(key, how.show);
    return this.#standing(partition, key, how) ?? this.#elsewhere(partition);
  }

  /** Returns the state of the key, which is of the partition, from this instance's own (Q1, Q2). */
  async lookUp(partition: number, key: Uint8Array, how: LookUpHow): Promise<LookUp> {
    const own = await this.#runners.get(partition)?.lookUp(key, how);
    if (own?.kind === 'found') return own;
    return this.#standing(partition, key, how) ?? own ?? this.#elsewhere(partition);
  }

  /** By a standby, which does not read the input: it does not know how old it is. */
  #standing(partition: number, key: Uint8Array, how: LookUpAtOnceHow): LookUp | undefined {
    return how.isNow ? undefined : this.#standbys.get(partition)?.lookUp(key, how.show);
  }

  /** Entries of the partition as a commit left them: by its owner alone, since others do not know where its outputs end (Q3). */
  async page(partition: number, how: EntryPageHow): Promise<EntryPage> {
    return (await this.#runners.get(partition)?.page(how)) ?? this.#elsewhere(partition);
  }

  #elsewhere(partition: number): typeof WITH_ANOTHER | typeof WITH_STANDBY {
    return this.#standbys.has(partition) ? WITH_STANDBY : WITH_ANOTHER;
  }

  /** Timers of the partition's task; undefined where it has no state, or is not here. For checks (V8). */
  timers(partition: number): TimerInspection | undefined {
    return this.#runners.get(partition)?.timers();
  }

  /** Which invariants of tasks and standbys do not hold, in words. For checks. */
  inspect(): readonly string[] {
    const parts = [...this.#runners, ...this.#standbys];
    return parts.flatMap(([partition, part]) => part.inspect().map((fault) => `partition ${partition}: ${fault}`));
  }

  /** Partitions that the input has: a key's follows from it. */
  get inputPartitions(): number {
    return this.#parts.settings.inputPartitions;
  }

  /** Who holds what in the group, as of the last assignment. */
  get instances(): readonly InstancePartitions[] {
    return this.#assignment?.instances ?? [];
  }

  /**
   * Joining may take as long as the group waits for a dead member. Meanwhile the partitions that this machine owned last are
   * loaded as standbys; after the assignment `#reconcile` hands them over, keeps them or closes them.
   */
  async #warmUp(): Promise<void> {
    const { ports, settings } = this.#parts;
    let found: readonly LocalStore[];
    try {
      found = await ports.stores.localCheckpoints();
    } catch (error) {
      // Joining asks for the same, and knows what to do about it.
      ports.log.warn('local stores cannot be looked at; nothing is loaded before the group has met', { error });
      return;
    }
    const partitions = warmStarts(found, settings.inputPartitions);
    if (this.#leaving || partitions.length === 0) return;
    ports.log.info('local stores are loaded while the group meets', { pipeline: settings.name, partitions });
    for (const partition of partitions) this.#startStandby(partition, 0);
  }

  /** Brings runners and standbys to what is assigned, as far as PN1 lets; called again when one has closed. */
  #reconcile(): void {
    if (this.#leaving || this.#assignment === undefined) return;
    const { partitions, standbys = [] } = this.#assignment;
    for (const partition of partitions) if (!this.#runners.has(partition)) this.#startRunner(partition);
    // A standby loaded before the group had met may be another process's by now, store and all.
    const { isShared } = this.#parts.ports.stores;
    const beginAgain = isShared && this.#isMeeting;
    for (const [partition, standby] of this.#standbys)
      if (beginAgain || !standbys.includes(partition)) void standby.close(false);
    for (const partition of standbys)
      if (!this.#runners.has(partition) && !this.#standbys.has(partition))
        this.#startStandby(partition, isShared ? STANDBY_STORE_AFTER_MS : 0);
    this.#isMeeting = false;
  }

  #startRunner(partition: number): void {
    const standby = this.#standbys.get(partition);
    this.#standbys.delete(partition);
    const runner = new TaskRunner({
      context: this.#contextOf(partition),
      budget: this.#budgetOf(partition),
      standby,
      isWarmStart: this.#isMeeting,
      confirmOwned: () => this.#confirmOwned(partition),
      onClosed: () => {
        this.#runners.delete(partition);
        this.#reconcile();
      },
      onFatal: this.#parts.onFatal,
    });
    this.#runners.set(partition, runner);
    runner.start(this.#assignedAtMs);
  }

  #budgetOf(partition: number): CommitBudget {
    const known = this.#budgets.get(partition);
    if (known !== undefined) return known;
    const { ports, bounds = TASK_BOUNDS } = this.#parts;
    const budget = new CommitBudget({
      targetMs: ports.writers.timeoutMs * COMMIT_TIMEOUT_SHARE,
      firstBytes: bounds.commitBytesFirst,
      leastBytes: bounds.commitBytesMin,
      requestBytes: REQUEST_BYTES_MAX,
      share: () => this.#share.commitBytes(bounds),
    });
    this.#budgets.set(partition, budget);
    return budget;
  }

  #startStandby(partition: number, storeAfterMs: DurationMs): void {
    const standby = new Standby({
      context: this.#contextOf(partition),
      storeAfterMs,
      onClosed: () => {
        // One that was never handed over to its runner is closed by that.
        if (this.#standbys.get(partition) === standby) this.#standbys.delete(partition);
        this.#reconcile();
      },
      onFatal: this.#parts.onFatal,
    });
    this.#standbys.set(partition, standby);
    standby.start();
  }

  async #closeStandbys(cleanly: boolean): Promise<void> {
    await Promise.all([...this.#standbys.values()].map((standby) => standby.close(cleanly)));
  }

  /** A new one for each runner and standby. */
  #contextOf(partition: number): TaskContext {
    const { settings, ports, bounds = TASK_BOUNDS } = this.#parts;
    const share = this.#share;
    const task = {};
    return {
      partition,
      input: { topic: settings.inputTopic, partition },
      inputs: inputsOf(settings, partition),
      changelog: { topic: settings.changelogTopic, partition },
      settings,
      ports,
      bounds,
      taskOptions: this.#taskOptionsOf(partition),
      flushBytes: () => share.flushBytes(bounds),
      evictions: {
        note: (isEvicting) => {
          share.noteEvicting(task, isEvicting);
        },
        perSecond: () => share.evictedPerSecond(bounds),
        turn: () => share.evictingTurn(task),
      },
      onStoreError: () => {
        this.#storeErrors += 1;
      },
    };
  }

  #taskOptionsOf(partition: number): TaskOptions {
    const { settings, ports, bounds = TASK_BOUNDS } = this.#parts;
    const { blockBytesMax, unsweptLogBytes, pendingChangesMax, owedBytesMax } = bounds;
    const { entriesMax, keyBytesMax, pageBytesMax } = bounds;
    const { heldTime, input, tickMs, changelogFactor, changelogFormat: format } = settings;
    const changelog = { blockBytesMax, changelogFactor, unsweptLogBytes, format, settings: settings.rulesText };
    const share = this.#share;
    return {
      partition,
      input,
      furtherInputs: (settings.furtherInputs ?? []).map(({ rules }) => rules),
      tickMs,
      changelog,
      ...(heldTime && { heldTime }),
      kind: ports.kind,
      routing: settings.routing,
      hashSeed: ports.entropy.seed(),
      blockMemory: share.blockMemory,
      pendingChangesMax,
      outputBytesMax: () => share.outputBytes(bounds),
      owedBytesMax,
      takenRowBytesMax: () => share.takenRowBytes(),
      state: { entriesMax, keyBytesMax, pageBytesMax, stateBytesMax: settings.maxStateBytes ?? Infinity },
      deadLetters: {
        waitingBytesMax: () => share.deadLetterBytes(bounds),
        letterBytesMax: settings.letterBytesMax,
      },
    };
  }

  /** Waits out rebalances: only a completed one can say whose the partition is. */
  async #confirmOwned(partition: number): Promise<boolean> {
    const retryPause = new RetryPause(this.#parts.ports.clock);
    while (!this.#leaving) {
      const assignment = await this.#parts.ports.membership.confirm();
      if (assignment !== undefined) return assignment.partitions.includes(partition);
      await retryPause.pause();
    }
    return false;
  }

  /** Waits until successors have fenced every task, at most `limitMs`. */
  async #fencedOr(limitMs: DurationMs): Promise<void> {
    const { clock } = this.#parts.ports;
    const until = clock.monotonicMs() + limitMs;
    while (this.#runners.size > 0 && clock.monotonicMs() < until) await pause(clock, FENCE_LOOK_MS);
  }
}

function inputsOf({ inputTopic, input, furtherInputs = [] }: PipelineSettings, partition: number): TaskInput[] {
  const all = [{ topic: inputTopic, rules: input }, ...furtherInputs];
  return all.map(({ topic, rules }) => ({ topic, partition, timestampType: rules.timestampType }));
}
