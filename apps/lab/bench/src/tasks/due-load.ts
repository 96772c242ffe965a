// Entries that wait and are due together, and others beside them: each has a number, from which its due instant is known. Pure.
import type { DurationMs, Millis } from '@flatline/base';
import { type Quantiles, quantilesOf } from '../statistics.ts';

export interface DueLoad {
  /** Due together, evenly within `dueWithinMs` from `dueFrom` on; numbered from 0. */
  readonly records: number;
  readonly dueFrom: Millis;
  readonly dueWithinMs: DurationMs;
  /** Under separate keys, one every `otherEveryMs` from `othersFrom` on; numbered after the former. */
  readonly others: number;
  readonly othersFrom: Millis;
  readonly otherEveryMs: DurationMs;
  /** Bytes of each value. */
  readonly valueBytes: number;
}

export const DUE_WITHIN_MS: DurationMs = 1_000;
export const VALUE_BYTES = 100;
export const OTHER_EVERY_MS: DurationMs = 10;
/** Others are due from this long before the first of those that are due together, until this long after the last. */
const OTHERS_BEFORE_MS: DurationMs = 3_000;
const OTHERS_AFTER_MS: DurationMs = 9_000;

export function dueLoad(records: number, dueFrom: Millis): DueLoad {
  return {
    records,
    dueFrom,
    dueWithinMs: DUE_WITHIN_MS,
    others: (OTHERS_BEFORE_MS + DUE_WITHIN_MS + OTHERS_AFTER_MS) / OTHER_EVERY_MS,
    othersFrom: dueFrom - OTHERS_BEFORE_MS,
    otherEveryMs: OTHER_EVERY_MS,
    valueBytes: VALUE_BYTES,
  };
}

export function dueAtOf(load: DueLoad, number: number): Millis {
  const { records, dueFrom, dueWithinMs, othersFrom, otherEveryMs } = load;
  return number < records ? dueFrom + (number % dueWithinMs) : othersFrom + (number - records) * otherEveryMs;
}

/** Due before those that are due together, while they are, and afterwards. */
export const PHASES = ['before', 'within', 'after'] as const;
export type Phase = (typeof PHASES)[number];

/** Delays of the others; infinite for one that never came. @param seenAt of each, 0 if it did not come */
export function othersLate(load: DueLoad, seenAt: readonly Millis[]): Readonly<Record<Phase, Quantiles>> {
  const { records, dueFrom, dueWithinMs } = load;
  const late: Record<Phase, DurationMs[]> = { before: [], within: [], after: [] };
  for (const [other, at] of seenAt.entries()) {
    const dueAt = dueAtOf(load, records + other);
    const phase = dueAt < dueFrom ? 'before' : dueAt < dueFrom + dueWithinMs ? 'within' : 'after';
    late[phase].push(at === 0 ? Infinity : at - dueAt);
  }
  return { before: quantilesOf(late.before), within: quantilesOf(late.within), after: quantilesOf(late.after) };
}
