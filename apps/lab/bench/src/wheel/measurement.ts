import { collectGarbage } from '../process-stat.ts';
import {
  BEAT_MS,
  type Contender,
  deadlineOf,
  POLL_STEP_MS,
  shuffledIds,
  START,
  type TimerQueue,
} from './timer-queue.ts';

/**
 * Until all are armed; re-arming an armed timer for 30 s later, in random order: a heartbeat; re-arming 10 s earlier, in random
 * order; until all have fired, everything in between included. Per timer.
 */
const TIMES = ['insertNs', 'rearmNs', 'rearmEarlierNs', 'fireNs'] as const;

/** The times of one pass: CPU time of the process, garbage collection included. */
export type Times = Readonly<Record<(typeof TIMES)[number], number>>;

/** What one contender costs at one size. */
export interface Cost extends Times {
  /** Heap and array buffers, per armed timer. From a pass that is not timed. */
  readonly bytesPerTimer: number;
}

const EARLIER_MS = 10_000;
/** A small size is repeated until it has armed so many timers: its timings are then long enough to be read... */
const TIMERS_PER_ROUND = 1_000_000;
/** ...and a large one is warmed up by a smaller. */
const WARM_UP_TIMERS_MAX = 200_000;

/**
 * Measures in this process; times are medians over the rounds. One process should measure one contender: a second would share the
 * compiled code of the calls below and make both slower than they are.
 */
export function measureQueue(
  contender: Contender,
  timers: number,
  rounds: number,
  timersPerRound: number = TIMERS_PER_ROUND,
): Cost {
  // First of all, while nothing measured before waits to be collected.
  const order = shuffledIds(timers);
  const bytesPerTimer = weigh(contender, order);
  const warmUp = shuffledIds(Math.min(timers, WARM_UP_TIMERS_MAX));
  for (let pass = 0; pass < passes(warmUp.length, timersPerRound); pass += 1) timePass(contender, warmUp);
  const times = Array.from({ length: rounds }, () =>
    combine(
      Array.from({ length: passes(timers, timersPerRound) }, () => timePass(contender, order)),
      mean,
    ),
  );
  return { ...combine(times, median), bytesPerTimer };
}

/** Passes over this many timers in a round. */
export function passes(timers: number, timersPerRound: number): number {
  return Math.ceil(timersPerRound / timers);
}

export function combine(times: readonly Times[], how: (values: number[]) => number): Times {
  const all = TIMES.map((name) => [name, how(times.map((time) => time[name]))]);
  return Object.fromEntries(all) as Times;
}

/** Each figure over that of the other. */
export function ratios(cost: Cost, other: Cost): Cost {
  const all = [...TIMES, 'bytesPerTimer' as const].map((name) => [name, cost[name] / other[name]]);
  return Object.fromEntries(all) as Cost;
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!;
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Bytes of the heap and of array buffers, garbage collected first if the process allows it (`--expose-gc`). */
export function bytesUsed(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** CPU nanoseconds per timer that `work` takes: on a busy machine the wall clock measures the others. */
export function timed(timers: number, work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (1000 * (user + system)) / timers;
}

function timePass(contender: Contender, order: Int32Array): Times {
  const timers = order.length;
  const queue = contender.create(START, timers);
  const insertNs = timed(timers, () => {
    insert(queue, timers);
  });
  const rearmNs = timed(timers, () => {
    rearm(queue, order, BEAT_MS);
  });
  const rearmEarlierNs = timed(timers, () => {
    rearm(queue, order, BEAT_MS - EARLIER_MS);
  });
  // As heartbeats leave them: deadlines later than where the timers are kept.
  rearm(queue, order, BEAT_MS);
  const fireNs = timed(timers, () => {
    fireAll(queue);
  });
  return { insertNs, rearmNs, rearmEarlierNs, fireNs };
}

/** Bytes per timer, when all are armed and have been re-armed once. */
function weigh(contender: Contender, order: Int32Array): number {
  const before = bytesUsed();
  const queue = contender.create(START, order.length);
  insert(queue, order.length);
  rearm(queue, order, BEAT_MS);
  const used = bytesUsed() - before;
  // Read after the last measurement, so that it is alive during it.
  return used / queue.size;
}

function insert(queue: TimerQueue, timers: number): void {
  for (let id = 0; id < timers; id += 1) queue.schedule(id, deadlineOf(id));
}

function rearm(queue: TimerQueue, order: Int32Array, byMs: number): void {
  for (const id of order) queue.schedule(id, deadlineOf(id) + byMs);
}

function fireAll(queue: TimerQueue): void {
  let last = -1;
  const onDue = (id: number): void => {
    last = id;
  };
  for (let now = START; queue.size > 0; now += POLL_STEP_MS) queue.poll(now, onDue);
  if (last < 0) throw new Error('nothing fired');
}
