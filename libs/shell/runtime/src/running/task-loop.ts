// The turns of a running task: step, expire, commit, ask for proof.
//
// Owns: when a turn comes, and their order.
// Does not own: what a turn does (InputFeed, CommitCycle), whether the task should run at all
// (TaskRunner).
//
// Whatever may have changed something calls `wake`; a turn does one slice of work and, where there is more, queues the next
// behind the event loop's other work. No turn overlaps another.
//
// Invariants
//   TL1  While a commit is in flight (CC1), stepping goes on within the task's own bounds.
//   TL2  Heartbeats come first: each turn steps before it expires, and expires a bounded number, for a bounded time.
//   TL3  Records in hand that nothing hinders are never left lying: no other wake need come.
import type { Cancel, DurationMs, Millis } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import { EXPIRE_SLICE_MAX } from '../limits.ts';
import type { TaskContext } from '../task-context.ts';
import { type InputFeed, SingleFeed } from './input-feed.ts';
import { MergedFeed } from './merged-feed.ts';
import type { CommitBudget } from '../committing/commit-budget.ts';
import { CommitCycle } from '../committing/commit-cycle.ts';
import type { Committer } from '../committing/committer.ts';
import type { Truncator } from '../committing/truncator.ts';
import type { Flusher } from '../local-store/flusher.ts';
import type { SilenceProof } from '../proof/silence-proof.ts';
import { DuePace } from './due-pace.ts';
import { EvictionPace } from './eviction-pace.ts';
import { expireSlice } from './expire-slice.ts';
import type { LoopEvents, TaskEnd } from '../loop-events.ts';
import { ReadEnds } from './read-ends.ts';
import type { MetMisplacedKey } from './step-alarms.ts';
import { TaskProbe } from '../probing/task-probe.ts';

export interface TaskLoopParts {
  readonly context: TaskContext;
  readonly task: PartitionTask;
  readonly committer: Committer;
  readonly budget: CommitBudget;
  readonly truncator: Truncator;
  readonly flusher: Flusher;
  /** One for each input. */
  readonly proofs: readonly SilenceProof[];
  /** Id of each input's topic; undefined: it has none. */
  readonly topicIds: readonly (string | undefined)[];
  /** The task cannot go on. Called once. */
  readonly onEnd: (end: TaskEnd) => void;
}

export class TaskLoop {
  readonly commits: CommitCycle;
  readonly readEnds: ReadEnds;
  /** undefined: none is sent (Q5). */
  readonly probe: TaskProbe | undefined;
  readonly #parts: TaskLoopParts;
  readonly #feed: InputFeed;
  /** undefined: what is due takes effect as fast as it can. */
  readonly #pace: DuePace | undefined;
  readonly #evictions: EvictionPace;
  #paceTimer: Cancel | undefined;
  #turnQueued = false;
  #stopped = false;
  #ended = false;

  constructor(parts: TaskLoopParts) {
    this.#parts = parts;
    const { context, task, committer, budget, truncator, flusher, proofs, topicIds } = parts;
    const { settings, ports } = context;
    const events: LoopEvents = { wake: this.wake, end: this.#end };
    const feeding = { context, task, proofs, topicIds, events };
    this.#feed = context.inputs.length === 1 ? new SingleFeed(feeding) : new MergedFeed(feeding);
    this.commits = new CommitCycle({ context, task, committer, budget, truncator, flusher, events });
    this.readEnds = new ReadEnds({ context, task });
    const { maxDuePerSecond, probeIntervalMs } = settings;
    this.#pace = maxDuePerSecond === undefined ? undefined : new DuePace(maxDuePerSecond, ports.clock.monotonicMs());
    this.#evictions = new EvictionPace({ task, share: context.evictions, clock: ports.clock, wake: this.wake });
    const { settledCuts } = this.commits;
    const waitingFor = (): string | undefined => this.waitingFor;
    const probing = { context, task, committer, settledCuts, feed: this.#feed, waitingFor, events };
    this.probe = probeIntervalMs === undefined ? undefined : new TaskProbe(probing, probeIntervalMs);
    this.wake();
  }

  /** Records between the position and the last stable offset, as of the newest answer; undefined before the first. */
  get lag(): number | undefined {
    return this.#feed.lag;
  }

  get inputLags(): readonly (number | undefined)[] {
    return this.#feed.lags;
  }

  get misplaced(): MetMisplacedKey | undefined {
    return this.#feed.misplaced;
  }

  get waitingFor(): string | undefined {
    if (this.#parts.committer.isRecovering) return 'the outcome of a commit';
    return this.#feed.waitingFor ?? this.commits.waitingFor ?? this.#feed.silenceWaitsFor ?? this.#spreading;
  }

  readonly wake = (): void => {
    if (this.#turnQueued || this.#stopped) return;
    this.#turnQueued = true;
    this.#parts.context.ports.turns(this.#turn);
  };

  /** Takes no more records, and waits for the commit in flight. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#feed.stop();
    this.#paceTimer?.();
    this.#feed.close();
    this.#evictions.end();
    this.readEnds.end();
    this.probe?.end();
    await this.commits.stop();
  }

  /** After `stop`: commits what is applied and not yet committed. */
  async commitRest(): Promise<void> {
    if (!this.#ended) await this.commits.commitRest();
  }

  readonly #turn = (): void => {
    this.#turnQueued = false;
    if (this.#stopped) return;
    try {
      const { clock } = this.#parts.context.ports;
      const wallNow = clock.wallMs();
      const startedAt = clock.monotonicMs();
      const readBefore = this.#parts.task.counters.recordsRead;
      const stepMore = this.#feed.step(wallNow, startedAt);
      this.#feed.observe();
      this.readEnds.look();
      this.probe?.look();
      this.#evictions.allow(startedAt);
      const expireMore = this.#expire(wallNow, startedAt);
      this.#evictions.await();
      this.commits.consider(startedAt, this.#feed.isCaughtUp);
      this.#considerStop();
      if (expireMore === 'later') {
        this.#waitForPace();
        // Entries that go first hold the input up until the pace lets them go.
        if (stepMore && this.#parts.task.counters.recordsRead > readBefore) this.wake();
      }
      // There may be room again in the task: a cut in this very turn may have made it.
      else if (
        stepMore ||
        this.#parts.task.canEvict ||
        ((expireMore || this.#feed.canGoOn) && !this.#parts.task.isFull)
      )
        this.wake();
      // A burst proves nothing of what comes due behind it.
      if (!stepMore) this.#feed.considerSilence(wallNow);
    } catch (error) {
      // A broken assumption inside the core, or a record that brings one about: this task must not go on, and all others must.
      this.#end({ kind: 'failed', error });
    }
  };

  /** Expires a slice. True if more is due at once; `later`: once the pace allows it. */
  #expire(wallNow: Millis, startedAt: number): boolean | 'later' {
    const { task, context } = this.#parts;
    const pace = this.#pace;
    const now = (): DurationMs => context.ports.clock.monotonicMs();
    if (pace === undefined) return expireSlice(task, EXPIRE_SLICE_MAX, wallNow, now);
    const before = task.counters.expired;
    const more = expireSlice(task, Math.min(EXPIRE_SLICE_MAX, pace.allowed(startedAt)), wallNow, now);
    pace.took(task.counters.expired - before);
    return more && pace.allowed(startedAt) === 0 ? 'later' : more;
  }

  /** Only what is due waits: the input goes on, but for what goes first. */
  #waitForPace(): void {
    if (this.#paceTimer !== undefined) return;
    const { clock } = this.#parts.context.ports;
    this.#paceTimer = clock.after(this.#pace!.waitMs, () => {
      this.#paceTimer = undefined;
      this.wake();
    });
  }

  get #spreading(): string | undefined {
    if (this.#paceTimer === undefined) return undefined;
    return `what is due, of which maxDuePerSecond lets ${this.#parts.context.settings.maxDuePerSecond} a second take effect`;
  }

  #considerStop(): void {
    const error = this.#feed.stopsWith;
    if (error !== undefined && this.commits.isAtRest) this.#end({ kind: 'failed', error });
  }

  readonly #end = (end: TaskEnd): void => {
    if (this.#ended) return;
    this.#ended = true;
    this.#evictions.end();
    this.readEnds.end();
    this.probe?.end();
    this.#parts.onEnd(end);
  };
}
