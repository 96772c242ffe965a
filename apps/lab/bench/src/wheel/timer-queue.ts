// What each contender keeps, and the timers that it is given.
import { type DurationMs, type Millis, seededRandom } from '@flatline/base';

/** What is measured: a set of deadlines by integer id, polled in virtual time. */
export interface TimerQueue {
  readonly size: number;
  /** Arms `id`, or re-arms it for a later or earlier deadline. */
  schedule(id: number, deadline: Millis): void;
  cancel(id: number): void;
  /** Fires everything due at `now`; returns how many. */
  poll(now: Millis, onDue: (id: number) => void): number;
}

/** One way to keep timers. */
export interface Contender {
  readonly name: string;
  /** What its figures mean, where they are not quite the same thing. */
  readonly note: string;
  /** The most timers it is asked to bear. */
  readonly timersMax: number;
  /** A deadline that is so much past has fired. */
  readonly resolutionMs: DurationMs;
  create(startAt: Millis, timers: number): TimerQueue;
}

export const START: Millis = 1_760_000_000_000;
/** How far a heartbeat puts a deadline off. */
export const BEAT_MS = 30_000;
/** Timers fire in steps of this much virtual time. */
export const POLL_STEP_MS = 100;

const SEED = 20_260_101;

/** Deadlines spread over 35 minutes, each computed: reading them from a large table would be measured too. */
export function deadlineOf(id: number): Millis {
  return START + 1000 + (Math.imul(id + 1, 0x9e3779b1) >>> 11);
}

/** All ids in random order: heartbeats come from anyone. */
export function shuffledIds(timers: number): Int32Array {
  const random = seededRandom(SEED);
  const ids = Int32Array.from({ length: timers }, (_, id) => id);
  for (let at = timers - 1; at > 0; at -= 1) {
    const other = random.below(at + 1);
    const id = ids[at]!;
    ids[at] = ids[other]!;
    ids[other] = id;
  }
  return ids;
}
