// The wheel's invariants against what it holds: for checks, not for the path of timers.
import type { DurationMs, Millis } from '@flatline/base';
import type { Buckets } from './buckets.ts';
import { LEVEL_BUCKETS, SLOTS, slotOf, slotsAhead, slotStart, tickAtOrAfter, tickAtOrBefore } from './levels.ts';

/** All that a wheel is, between two of its calls. */
export interface WheelState {
  readonly tickMs: DurationMs;
  readonly deadlineOf: (id: number) => Millis;
  readonly buckets: Buckets;
  readonly bucketsEnd: number;
  /** Buckets behind those of the levels. */
  readonly due: number;
  readonly looked: number;
  readonly size: number;
  readonly now: Millis;
  readonly cursor: number;
  readonly lookedAt: Millis;
  readonly isStopped: boolean;
}

/** Empty where all holds. */
export function wheelFaults(state: WheelState, idsEnd?: number): string[] {
  const { buckets, deadlineOf } = state;
  const faults = buckets.inspect(deadlineOf, idsEnd);
  // Where lists are not whole they may lead in circles.
  if (faults.length > 0) return faults;
  return [...cursorFaults(state), ...lookedFaults(state), ...slotFaults(state)];
}

function cursorFaults({ tickMs, buckets, due, now, cursor, isStopped }: WheelState): string[] {
  const faults: string[] = [];
  const tick = tickAtOrBefore(now, tickMs);
  if (cursor > tick || (cursor < tick && !isStopped))
    faults.push(`WH5: the cursor is at tick ${cursor}, the time at ${tick}`);
  if (!isStopped && !buckets.isEmpty(due)) faults.push('WH6: what is due is open after a poll that has ended');
  return faults;
}

function lookedFaults({ tickMs, deadlineOf, buckets, looked, cursor, lookedAt }: WheelState): string[] {
  if (buckets.isEmpty(looked)) return [];
  const faults: string[] = [];
  const tick = cursor + 1;
  if (tickAtOrBefore(lookedAt, tickMs) !== cursor)
    faults.push(`WH7: looked at at ${lookedAt}, in another tick than ${tick}`);
  if (tickAtOrAfter(buckets.bound(looked), tickMs) !== tick)
    faults.push(`WH7: what waits is of another tick than ${tick}`);
  for (const id of idsIn(buckets, looked))
    if (deadlineOf(id) <= lookedAt) faults.push(`WH7: id ${id} was due at ${deadlineOf(id)} when it was looked at`);
  return faults;
}

/** Bucket by bucket; each id counts. */
function slotFaults({ tickMs, deadlineOf, buckets, bucketsEnd, size, cursor, isStopped }: WheelState): string[] {
  const faults: string[] = [];
  let armed = 0;
  for (let bucket = 0; bucket < bucketsEnd; bucket += 1) {
    if (buckets.isEmpty(bucket)) continue;
    const start = bucket < LEVEL_BUCKETS ? startOf(bucket, cursor) : -Infinity;
    if (bucket < LEVEL_BUCKETS && (start < cursor || (start === cursor && !isStopped)))
      faults.push(`WH4: bucket ${bucket} is occupied and starts at tick ${start}, the cursor is at ${cursor}`);
    for (const id of idsIn(buckets, bucket)) {
      armed += 1;
      const tick = tickAtOrAfter(deadlineOf(id), tickMs);
      if (tick < start) faults.push(`WH2: id ${id} is due by tick ${tick}, and looked at from tick ${start} on`);
    }
  }
  if (armed !== size) faults.push(`WH1: ${armed} ids are in buckets, ${size} are armed`);
  return faults;
}

/** The first tick of the slot that the cursor comes to next, or stands in, of those that share the bucket. */
function startOf(bucket: number, cursor: number): number {
  const level = Math.floor(bucket / SLOTS);
  const at = slotOf(cursor, level);
  return slotStart(at + slotsAhead(at, bucket % SLOTS), level);
}

function* idsIn(buckets: Buckets, bucket: number): Generator<number, void> {
  for (let id = buckets.first(bucket); id >= 0; id = buckets.next(id)) yield id;
}
