// One instance of one pipeline: a member of its group, and a task for each partition the group assigns to it.
//
// Owns: the runners.      Does not own: the assignment (the group), anything inside a task.
//
// Invariants
//   PI1  At most one runner per partition: its successor starts after it has closed.
//   PI2  A partition that moves away runs on until its new owner fences it (architecture, Ownership).
import { type DurationMs, failpoint, Fatal } from '@flatline/base';
import type { Assignment, MembershipListener } from '@flatline/task';
import { Backoff, pause } from './backoff.ts';
import { FLUSH_BYTES_MAX, TASK_BOUNDS, type TaskBounds } from './limits.ts';
import type { PipelinePorts, PipelineSettings } from './settings.ts';
import { TaskRunner } from './task-runner.ts';
import type { TaskStatus } from './task-status.ts';

export interface PipelineInstanceParts {
  readonly settings: PipelineSettings;
  readonly ports: PipelinePorts;
  /** Called once, with what ends the process. */
  readonly onFatal: (error: Error) => void;
  /** Default: those of production. */
  readonly bounds?: TaskBounds;
}

export class PipelineInstance implements MembershipListener {
  readonly #parts: PipelineInstanceParts;
  readonly #runners = new Map<number, TaskRunner>();
  #assignment: Assignment | undefined;
  #leaving = false;
  /** Why membership is interrupted, for the status. */
  #interruption: string | undefined;

  constructor(parts: PipelineInstanceParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#parts.ports.membership.start(this);
  }

  assigned(assignment: Assignment): void {
    this.#assignment = assignment;
    this.#interruption = undefined;
    const { name } = this.#parts.settings;
    const { generation, partitions } = assignment;
    this.#parts.ports.log.info('partitions assigned', { pipeline: name, generation, partitions });
    if (partitions.some((partition) => partition >= this.#parts.settings.inputPartitions)) {
      this.#refuseGrownInput();
      return;
    }
    for (const [partition, runner] of this.#runners) {
      if (partitions.includes(partition)) runner.comeBack();
      else runner.moveAway();
    }
    this.#startMissing();
  }

  lost(reason: string): void {
    this.#interruption = reason;
    this.#parts.ports.log.warn('membership interrupted; tasks run on until they are fenced', {
      pipeline: this.#parts.settings.name,
      reason,
    });
  }

  failed(error: Error): void {
    this.#parts.onFatal(new Fatal(`group ${this.#parts.settings.group}: ${error.message}`, error));
  }

  /** Leaves the group first, so that successors restore while these tasks still run; then commits, flushes and closes. */
  async stop(): Promise<void> {
    this.#leaving = true;
    const isAlone = this.#assignment?.partitions.length === this.#parts.settings.inputPartitions;
    await this.#parts.ports.membership.leave();
    failpoint('shutdown.left');
    if (!isAlone) await this.#fencedOr(this.#parts.settings.drainMs);
    await Promise.all([...this.#runners.values()].map((runner) => runner.close(true)));
  }

  /** Ends at once, without commits: what a Fatal in another pipeline of this process asks for. */
  async abort(): Promise<void> {
    this.#leaving = true;
    await this.#parts.ports.membership.leave();
    await Promise.all([...this.#runners.values()].map((runner) => runner.close(false)));
  }

  /** True once every assigned partition runs. */
  get isReady(): boolean {
    const assignment = this.#assignment;
    if (assignment === undefined || this.#interruption !== undefined) return false;
    return assignment.partitions.every((partition) => this.#runners.get(partition)?.state === 'running');
  }

  get interruption(): string | undefined {
    return this.#interruption;
  }

  status(): readonly TaskStatus[] {
    return [...this.#runners.values()].map((runner) => runner.status()).sort((a, b) => a.partition - b.partition);
  }

  #refuseGrownInput(): void {
    const { inputTopic, inputPartitions } = this.#parts.settings;
    this.#parts.onFatal(
      new Fatal(
        `input ${inputTopic} had ${inputPartitions} partitions when this process started and has more now: keys have ` +
          'moved to other partitions and their sessions would be split. Use a new input topic or application name',
      ),
    );
  }

  #startMissing(): void {
    if (this.#leaving) return;
    for (const partition of this.#assignment?.partitions ?? [])
      if (!this.#runners.has(partition)) this.#startRunner(partition);
  }

  #startRunner(partition: number): void {
    const { settings, ports, bounds = TASK_BOUNDS } = this.#parts;
    const { blockBytesMax, unsweptLogBytes, pendingChangesMax, pendingOutputsMax, flushSlice } = bounds;
    const runner = new TaskRunner({
      partition,
      settings,
      ports,
      taskOptions: {
        partition,
        rules: settings.rules,
        input: settings.input,
        decoder: ports.decoder,
        changelog: { blockBytesMax, changelogFactor: settings.changelogFactor, unsweptLogBytes },
        tickMs: settings.tickMs,
        hashSeed: ports.entropy.seed(),
        pendingChangesMax,
        pendingOutputsMax,
      },
      flushBytes: () => flushShare(bounds, this.#runners.size),
      flushSlice,
      confirmOwned: () => this.#confirmOwned(partition),
      onClosed: () => {
        this.#runners.delete(partition);
        this.#startMissing();
      },
      onFatal: this.#parts.onFatal,
    });
    this.#runners.set(partition, runner);
    runner.start();
  }

  /** Waits out rebalances: only a completed one can say whose the partition is. */
  async #confirmOwned(partition: number): Promise<boolean> {
    const backoff = new Backoff(this.#parts.ports.clock);
    while (!this.#leaving) {
      const assignment = await this.#parts.ports.membership.confirm();
      if (assignment !== undefined) return assignment.partitions.includes(partition);
      await backoff.pause();
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

/** How often a leaving instance looks whether it still owns anything. */
const FENCE_LOOK_MS = 20;

/** One task's part of the total: more tasks flush sooner rather than take more memory. */
function flushShare({ flushBytesTotal, flushBytesMin }: TaskBounds, tasks: number): number {
  return Math.min(FLUSH_BYTES_MAX, Math.max(flushBytesMin, Math.floor(flushBytesTotal / tasks)));
}
