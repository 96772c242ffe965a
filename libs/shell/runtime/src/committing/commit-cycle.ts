// The commits of a running task, one after the other: when the next one begins, its cut in slices, and what follows from it.
//
// Owns: the pace, the commit in flight, how long commits and closes took.
// Does not own: the protocol of a commit (Committer), what is in one (PartitionTask).
//
// Invariants
//   CC1  At most one commit is in flight.
//   CC2  A cut is made in slices, one a turn, each no longer than what stepping and expiring have left of the turn; the task is
//        full meanwhile, so that neither step nor expiry comes between.
import { DurationHistogram, type Cancel, type DurationMs, type Millis } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import { Durations } from '../durations.ts';
import { CUT_SLICE_PIECES, SLICE_MS, SLOW_COMMIT_MS } from '../limits.ts';
import { RefusalLog } from './refusal-log.ts';
import type { TaskContext } from '../task-context.ts';
import type { CommitBudget } from './commit-budget.ts';
import { CommitPace, type Waiting } from './commit-pace.ts';
import type { Committer } from './committer.ts';
import { CutLooks } from './cut-looks.ts';
import type { Flusher } from '../local-store/flusher.ts';
import type { LoopEvents } from '../loop-events.ts';
import { SettledCuts } from './settled-cuts.ts';
import type { Truncator } from './truncator.ts';

export interface CommitCycleParts {
  readonly context: TaskContext;
  readonly task: PartitionTask;
  readonly committer: Committer;
  readonly budget: CommitBudget;
  readonly flusher: Flusher;
  readonly truncator: Truncator;
  readonly events: LoopEvents;
}

export class CommitCycle {
  readonly durations = new Durations();
  readonly histogram = new DurationHistogram();
  /** From the instant that a session's close is due to where readers of the output see it. */
  readonly closeDelays = new DurationHistogram();
  readonly refusals: RefusalLog;
  readonly settledCuts: SettledCuts;
  readonly cutLooks: CutLooks;
  readonly #parts: CommitCycleParts;
  readonly #context: TaskContext;
  readonly #pace: CommitPace;
  #timer: Cancel | undefined;
  /** Monotonic time of the first slice of the cut being made. */
  #cutBeganAt: DurationMs | undefined;
  #underWay: Promise<void> | undefined;

  constructor(parts: CommitCycleParts) {
    const { input, settings, ports } = parts.context;
    this.#parts = parts;
    this.#context = parts.context;
    this.refusals = new RefusalLog(ports.log, input);
    this.#pace = new CommitPace(settings);
    this.settledCuts = new SettledCuts(() => parts.task.settledCuts, parts.events.wake);
    this.cutLooks = new CutLooks({
      outputEnd: parts.committer.outputEnd,
      state: () => (parts.task.hasUncut ? 'uncut' : this.#underWay === undefined ? 'rest' : 'inFlight'),
      onAwaited: parts.events.wake,
    });
    parts.task.limitCut(parts.budget.bytesMax);
  }

  /** All that was applied is committed, and the group knows it. */
  get isAtRest(): boolean {
    return this.#underWay === undefined && !this.#hasToSay;
  }

  /** A commit would tell the changelog or the group something new. */
  get #hasToSay(): boolean {
    const { task, committer } = this.#parts;
    return task.hasUncut || committer.offsetPace.isOwed;
  }

  /** The task is being handed over; false: it goes on after all (R3). */
  handOver(isHandedOver: boolean): void {
    this.#parts.committer.offsetPace.handOver(isHandedOver);
    // Owed records are due at once. Nothing else is: a task that ends may be unsound by now.
    if (isHandedOver) this.#parts.events.wake();
  }

  /** Stepping pauses while a commit takes long and enough waits for the next (X5). */
  get waitingFor(): string | undefined {
    const { task } = this.#parts;
    const { ports } = this.#context;
    if (this.#underWay === undefined || !task.isFull) return undefined;
    const tookMs = ports.clock.monotonicMs() - this.#pace.beganAt;
    return tookMs < SLOW_COMMIT_MS ? undefined : `a commit, under way for ${Math.round(tookMs)} ms`;
  }

  /**
   * Commits at once where its pace allows it, the task is full, or evictions wait for the next commit; else when its pace will. In
   * the turn begun at `startedAt`.
   */
  consider(startedAt: DurationMs, isCaughtUp: boolean): void {
    const { task, committer, events } = this.#parts;
    const { ports } = this.#context;
    if (this.#underWay !== undefined || !this.#hasToSay) return;
    const now = ports.clock.monotonicMs();
    const pacedMs = task.hasUncut ? this.#pace.delayMs(now, this.#waiting(isCaughtUp)) : Infinity;
    const delayMs = Math.min(pacedMs, committer.offsetPace.delayMs(now));
    this.#timer?.();
    this.#timer = undefined;
    if (delayMs === 0 || task.isFull || task.evictsNext) this.#cut(startedAt);
    else this.#timer = ports.clock.after(delayMs, events.wake);
  }

  #waiting(isCaughtUp: boolean): Waiting {
    const { task } = this.#parts;
    const { settings } = this.#context;
    // Whoever looks a key up waits for its commit as whoever reads the output does for a close.
    if (task.hasOutputs || this.settledCuts.isAwaited || this.cutLooks.isAwaited)
      return isCaughtUp ? 'close' : 'closeBehind';
    // Without unheard time a clock record is asked for where something is due: few come of which nothing follows.
    const isListening = (settings.heldTime?.unheardMs ?? 0) > 0;
    return isListening && isCaughtUp && task.hasOnlyClocks ? 'clock' : 'nothing';
  }

  /** Begins no more commits, and waits for the one in flight. */
  async stop(): Promise<void> {
    this.#timer?.();
    await this.#underWay;
    // The rest is committed after a stop, and nothing waits for it.
    this.#endWaits();
    this.#parts.truncator.stop();
  }

  /** After `stop`: commits what is applied and not yet committed, and the group's offset in any case. */
  async commitRest(): Promise<void> {
    this.#parts.committer.offsetPace.handOver(true);
    if (this.#hasToSay) await this.#commit();
  }

  /** One slice, of what is left of the turn but never of nothing, and with the last one the commit. */
  #cut(turnStartedAt: DurationMs): void {
    const { task, events } = this.#parts;
    const { ports, bounds } = this.#context;
    this.#cutBeganAt ??= ports.clock.monotonicMs();
    for (let piece = 0; piece < CUT_SLICE_PIECES; piece += 1) {
      if (task.prepareCut(bounds.cutSliceBytes / CUT_SLICE_PIECES)) {
        this.#underWay = this.#commit();
        return;
      }
      if (ports.clock.monotonicMs() - turnStartedAt >= SLICE_MS) break;
    }
    events.wake();
  }

  async #commit(): Promise<void> {
    const { task, committer, budget, flusher, truncator, events } = this.#parts;
    const { ports } = this.#context;
    const startedAt = this.#cutBeganAt ?? ports.clock.monotonicMs();
    this.#cutBeganAt = undefined;
    this.#pace.began(startedAt);
    const wasPurging = task.isPurging;
    try {
      // The cut is made at once.
      const committing = committer.commit();
      this.cutLooks.cut();
      const outcome = await committing;
      if (outcome.kind === 'letGo') {
        this.#endWaits();
        events.end(outcome);
        return;
      }
      this.settledCuts.settled();
      this.cutLooks.settled();
      const endedAt = ports.clock.monotonicMs();
      this.#pace.ended(endedAt);
      this.durations.add(endedAt - startedAt);
      this.histogram.add(endedAt - startedAt);
      this.#countCloses(outcome.endedAt);
      this.refusals.committed(outcome.deadLetters, ports.clock.wallMs());
      task.limitCut(budget.bytesMax);
      truncator.committed(outcome.floor, outcome.bytes);
      if (wasPurging) this.#considerPurged(outcome.floor);
      flusher.offer();
    } catch (error) {
      this.#endWaits();
      events.end({ kind: 'failed', error });
    } finally {
      this.#underWay = undefined;
      events.wake();
    }
  }

  /** The answer is then the next owner's. */
  #endWaits(): void {
    this.settledCuts.end();
    this.cutLooks.end();
  }

  /** An erasure (E1) has only to wait until its floor was in force for long enough. */
  #considerPurged(floor: number): void {
    const { task, truncator } = this.#parts;
    if (!task.isPurging) truncator.purged(floor);
  }

  /** History that is replayed was due long ago: it does not show how late this task is. */
  #countCloses(endedAt: readonly Millis[]): void {
    const { settings, ports } = this.#context;
    if (settings.input.timestampType === 'CreateTime') return;
    const now = ports.clock.wallMs();
    for (const at of endedAt) this.closeDelays.add(now - at);
  }
}
