import { type DurationMs, type Millis } from '@flatline/base';

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
