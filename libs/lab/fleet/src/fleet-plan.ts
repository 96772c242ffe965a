// The plan of a simulated fleet, and the schedule that follows from it.
import type { DurationMs } from '@flatline/base';

/** Form of a session's last sign of life: nothing more comes, a null value, or an `ENDED` event. */
export type FleetEnd = 'silence' | 'null' | 'event';

/** Mostly silence: the case that all this exists for. */
export const usualEnds: readonly FleetEnd[] = ['silence', 'silence', 'silence', 'silence', 'null', 'event'];

export interface FleetPlan {
  /** Number of sessions in all; Infinity: until its sender is stopped. */
  readonly sessions: number;
  /** Heartbeats per second of the whole fleet. */
  readonly ratePerSecond: number;
  /** Time between two heartbeats of one session. */
  readonly heartbeatMs: DurationMs;
  /** Heartbeats per session: uniform between 1 and twice this, less one. */
  readonly beatsMean: number;
  /** Probabilities, per heartbeat: sent twice; sent after the one that follows it; never sent. */
  readonly duplicates: number;
  readonly reorder: number;
  readonly lose: number;
  /** Ways in which sessions end, all equally likely: repeat one to make it more likely. */
  readonly ends: readonly FleetEnd[];
  readonly seed: number;
}

export interface FleetSchedule {
  /** Sessions alive at the same time; each beats once per round. */
  readonly lanes: number;
  /** Time between two heartbeats of the fleet; a fraction of a millisecond at high rates. */
  readonly spacingMs: number;
}

/** A live session costs some 100 bytes here and as many again in the ledger. */
const LANES_MAX = 4_000_000;

/** Uses the planned rate if there are enough sessions for it, else the rate that they make together. */
export function scheduleOf(plan: FleetPlan): FleetSchedule {
  const needed = Math.max(1, Math.round((plan.ratePerSecond * plan.heartbeatMs) / 1000));
  if (plan.sessions < needed) return { lanes: plan.sessions, spacingMs: plan.heartbeatMs / plan.sessions };
  return { lanes: needed, spacingMs: 1000 / plan.ratePerSecond };
}

/** Expected number of heartbeats of the whole plan, for progress. */
export function expectedBeats(plan: FleetPlan): number | undefined {
  return plan.sessions === Infinity ? undefined : Math.round(plan.sessions * plan.beatsMean);
}

/** Faults of a plan, each with the allowed values; empty if there are none. */
export function planProblems(plan: FleetPlan): string[] {
  const problems: string[] = [];
  const alive = (plan.ratePerSecond * plan.heartbeatMs) / 1000;
  if (alive < 0.5)
    problems.push(
      `--rate ${plan.ratePerSecond} is less than one session's heartbeats at --heartbeat-ms ${plan.heartbeatMs}: ` +
        `raise --rate to ${Math.ceil(1000 / plan.heartbeatMs)} or --heartbeat-ms to ${Math.ceil(1000 / plan.ratePerSecond)}`,
    );
  if (Math.min(alive, plan.sessions) > LANES_MAX)
    problems.push(
      `--rate ${plan.ratePerSecond} with --heartbeat-ms ${plan.heartbeatMs} means ${Math.round(alive)} sessions at the ` +
        `same time: at most ${LANES_MAX}; lower one of the two`,
    );
  return problems;
}
