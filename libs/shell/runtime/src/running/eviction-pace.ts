// Lets evictions (Q4) have their turns at a pace: whoever is evicted has seconds, and what else is due has not.
//
// The problem. A lost gateway takes a hundred thousand entries along. Ended as fast as they can be they take all of a processor
// for two seconds, and fill each commit: every other close waits for turns of the other tasks, and for commits of a megabyte.
//
// The cure. The tasks of a process that have evictions share so many ends a second, and a task works them off in small pieces as
// the time comes for them. Where turns are long, it makes up in each for what it could not do, up to a limit: a machine that is busy
// has its others wait for a bounded turn, and those who are evicted for no more than it has to.
//
// Owns: what the task may do by now, and of that in one turn.
// Does not own: evictions (PartitionTask), which tasks have some (ProcessShare), room in a commit (NextCommit).
//
// Invariants
//   EA1  In any stretch of t seconds a task does at most (t + ARREARS_SECONDS) × its share, or one end more, and EVICTED_TURN_MAX in a
//        turn. What is waited for (Expiry) does not count.
import type { Cancel, Clock, DurationMs } from '@flatline/base';
import type { PartitionTask } from '@flatline/partition';
import { EVICTED_TURN_MAX, EVICTING_TASKS_AT_ONCE, EVICTION_PAUSE_MAX_MS, EVICTION_PAUSE_MS } from '../limits.ts';

/** Longer than any round of turns: what is not done by then is lost. */
const ARREARS_SECONDS = 1;
const SECOND_MS = 1_000;

/** A task's turn in the round of those that have evictions. */
export interface EvictingTurn {
  readonly tasks: number;
  /** When of the round, from 0 to 1. */
  readonly phase: number;
}

/** Share of a process, as one of its tasks sees it. */
export interface EvictionShare {
  /** The task has evictions from now on, or no more. */
  readonly note: (isEvicting: boolean) => void;
  /** Ends a second of each task that has. */
  readonly perSecond: () => number;
  readonly turn: () => EvictingTurn;
}

export interface EvictionPaceParts {
  readonly task: Pick<PartitionTask, 'isEvicting' | 'evictable' | 'limitEvictions'>;
  readonly share: EvictionShare;
  readonly clock: Pick<Clock, 'after'>;
  readonly wake: () => void;
}

export class EvictionPace {
  readonly #parts: EvictionPaceParts;
  /** Monotonic time of the last turn; undefined: no eviction is under way. */
  #at: DurationMs | undefined;
  /** Work that the task may do by then, and this turn's part of it. */
  #left = 0;
  #allowed = 0;
  #timer: Cancel | undefined;

  constructor(parts: EvictionPaceParts) {
    this.#parts = parts;
  }

  /** Before what is due takes effect in a turn: allows what the time since the last one gives. */
  allow(now: DurationMs): void {
    const { task, share } = this.#parts;
    if (!task.isEvicting) {
      if (this.#at !== undefined) this.end();
      return;
    }
    if (this.#at === undefined) share.note(true);
    const perSecond = share.perSecond();
    this.#left += ((now - (this.#at ?? now)) * perSecond) / SECOND_MS;
    this.#left = Math.min(this.#left, perSecond * ARREARS_SECONDS);
    this.#at = now;
    this.#limit();
  }

  /** Behind it: there is another turn, at once or when there is time for more. */
  await(): void {
    const { task, share, clock, wake } = this.#parts;
    if (!task.isEvicting) return;
    this.#left -= this.#allowed - task.evictable;
    this.#limit();
    if (this.#left > 0 || this.#timer !== undefined) return;
    this.#timer = clock.after(pauseFrom(this.#at ?? 0, share.turn()), () => {
      this.#timer = undefined;
      wake();
    });
  }

  #limit(): void {
    this.#allowed = Math.min(this.#left, EVICTED_TURN_MAX);
    this.#parts.task.limitEvictions(this.#allowed);
  }

  end(): void {
    this.#timer?.();
    this.#timer = undefined;
    this.#at = undefined;
    this.#left = 0;
    this.#parts.share.note(false);
  }
}

/**
 * A thousand tasks that wait for ten milliseconds each would wake a process a hundred thousand times a second: they wait longer, and,
 * since together they would hold up everyone else, each until a time of its own.
 */
function pauseFrom(now: DurationMs, { tasks, phase }: EvictingTurn): DurationMs {
  if (tasks <= EVICTING_TASKS_AT_ONCE) return EVICTION_PAUSE_MS;
  const round = Math.min(EVICTION_PAUSE_MAX_MS, (EVICTION_PAUSE_MS * tasks) / EVICTING_TASKS_AT_ONCE);
  const since = (now / round + 1 - phase) % 1;
  const rest = round * (1 - since);
  return rest < round / 2 ? rest + round : rest;
}
