// Decides what becomes of a supervisor's workers. Pure: events come in with their time, decisions go out.
//
//   waiting ⇄ running ──▶ ended
//
// Owns: the state of each worker.
// Does not own: processes (Supervisor).
//
// Invariants
//   WF1  A worker that ends is started again after a pause, which doubles with each end and is the first one again after an end
//        that came long after the start.
//   WF2  A process that ends with exit code 2 would end so again: its worker is not restarted. If none is left that runs or
//        waits, the outcome is that code.
//   WF3  After `stop` none is started; the outcome comes once all have ended, and is 0 if none of them failed. One that was just
//        starting is interrupted by that, which is no failure.
//   WF4  A process that ends with exit code 4 was replaced by another of its name, which its restart would replace in turn, for
//        ever. Worker 1 decides, for it is in every workforce: where it was replaced, no worker is started from then on, and 4 is
//        the outcome.
//   WF5  Another worker that was replaced is started once more, after worker 1 would have heard of its own replacement: of two
//        workforces that start together each may replace some of the other, and if both gave way for that, none would be left.
//        Replaced again, it is as worker 1.
import type { DurationMs } from '@flatline/base';
import { ExitCode } from '../exit-code.ts';

/** How a process ended, as node:child_process says it. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export type WorkerState =
  | { readonly kind: 'running'; readonly sinceMs: DurationMs; readonly failures: number }
  /** `failures`: ends in a row, none of them long after a start. */
  | { readonly kind: 'waiting'; readonly untilMs: DurationMs; readonly failures: number }
  | { readonly kind: 'ended'; readonly code: number };

const FIRST_PAUSE_MS: DurationMs = 200;
const LONGEST_PAUSE_MS: DurationMs = 30_000;
/** A run of this length did not end because of how it began. */
const STEADY_AFTER_MS: DurationMs = 60_000;

const DECIDES = 1;
/** Worker 1 hears of it with its next heartbeat, and the other workforce then drains. */
const DECIDED_AFTER_MS: DurationMs = 30_000;

export class Workforce {
  readonly #states = new Map<number, WorkerState>();
  /** Workers that were replaced (WF5). */
  readonly #replaced = new Set<number>();
  #isStopping = false;
  #isReplaced = false;

  /** Workers have the numbers from 1 on. */
  constructor(count: number) {
    for (let worker = 1; worker <= count; worker += 1)
      this.#states.set(worker, { kind: 'waiting', untilMs: 0, failures: 0 });
  }

  get numbers(): readonly number[] {
    return [...this.#states.keys()];
  }

  stateOf(worker: number): WorkerState {
    return this.#states.get(worker)!;
  }

  /** Returns the workers to start now; they count as running from here on. */
  start(nowMs: DurationMs): readonly number[] {
    const due = this.numbers.filter((worker) => {
      const state = this.stateOf(worker);
      return state.kind === 'waiting' && state.untilMs <= nowMs;
    });
    for (const worker of due) {
      const { failures } = this.stateOf(worker) as Extract<WorkerState, { kind: 'waiting' }>;
      this.#states.set(worker, { kind: 'running', sinceMs: nowMs, failures });
    }
    return due;
  }

  /** When `start` has something to do next; undefined: nothing waits. */
  get nextStartMs(): DurationMs | undefined {
    const times = [...this.#states.values()].flatMap((state) => (state.kind === 'waiting' ? [state.untilMs] : []));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  /** @returns what becomes of it */
  ended(worker: number, end: WorkerEnd, nowMs: DurationMs): WorkerState {
    const code = codeOf(end);
    if (code === ExitCode.stateInUse && !this.#isStopping) {
      if (worker !== DECIDES && !this.#replaced.has(worker)) {
        this.#replaced.add(worker);
        return this.#become(worker, { kind: 'waiting', untilMs: nowMs + DECIDED_AFTER_MS, failures: 0 });
      }
      this.#isReplaced = true;
      this.stop();
    }
    return this.#become(worker, this.#stateAfter(this.stateOf(worker), code, nowMs));
  }

  #become(worker: number, state: WorkerState): WorkerState {
    this.#states.set(worker, state);
    return state;
  }

  /** True if another workforce has taken the workers' names. */
  get isReplaced(): boolean {
    return this.#isReplaced;
  }

  stop(): void {
    this.#isStopping = true;
    for (const [worker, { kind }] of this.#states)
      if (kind === 'waiting') this.#states.set(worker, { kind: 'ended', code: ExitCode.ok });
  }

  /** The exit code of the whole, once there is nothing more to do. */
  get outcome(): number | undefined {
    const codes = [...this.#states.values()].flatMap((state) => (state.kind === 'ended' ? [state.code] : []));
    if (codes.length < this.#states.size) return undefined;
    if (this.#isReplaced) return ExitCode.stateInUse;
    return codes.find((code) => code !== ExitCode.ok) ?? ExitCode.ok;
  }

  #stateAfter(before: WorkerState, code: number, nowMs: DurationMs): WorkerState {
    if (this.#isStopping) return { kind: 'ended', code: code === ExitCode.interrupted ? ExitCode.ok : code };
    if (code === ExitCode.usage) return { kind: 'ended', code };
    const isSteady = before.kind === 'running' && nowMs - before.sinceMs >= STEADY_AFTER_MS;
    const failures = isSteady || before.kind === 'ended' ? 0 : before.failures;
    const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(failures, 30), LONGEST_PAUSE_MS);
    return { kind: 'waiting', untilMs: nowMs + pauseMs, failures: failures + 1 };
  }
}

/** A process that has no handlers yet ends by the signal itself that asks it to stop. */
const STOP_SIGNALS: readonly unknown[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

function codeOf({ code, signal }: WorkerEnd): number {
  return code ?? (STOP_SIGNALS.includes(signal) ? ExitCode.interrupted : ExitCode.partitionStopped);
}
