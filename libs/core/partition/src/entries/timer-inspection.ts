// Compares the content of a wheel with what the live entries ask for (V8, LE1): for checks, not for the path of records.
import type { Millis } from '@flatline/base';

/** A live entry and its timer. */
export interface EntryTimer {
  /** A copy. */
  readonly key: Uint8Array;
  /** When it is due if nothing comes. */
  readonly dueAt: Millis;
  /** It lives until what it owes is said, whatever the input says of its key. */
  readonly isOwing: boolean;
  /** By when the wheel looks at it; undefined: it has no timer. */
  readonly armedFor: Millis | undefined;
}

/** The timers of a task at one moment between two steps. */
export interface TimerInspection {
  readonly entries: readonly EntryTimer[];
  /** All that are armed. */
  readonly armed: number;
  /** When the wheel wants to be looked at first, by which proof of silence is asked for (C2). */
  readonly earliest: Millis | undefined;
}

const utf8 = new TextDecoder();

/**
 * Human-readable faults; empty where each live entry has one timer at or before its due instant, nothing else has any,
 * and the wheel's bound is no later than any of them. Earlier is allowed: re-arming is lazy, and the entry is looked at again
 * when the timer fires.
 */
export function timerFaults({ entries, armed, earliest = Infinity }: TimerInspection): string[] {
  const faults = entries.flatMap(({ key, dueAt, armedFor }) => {
    const entry = `${utf8.decode(key)}, due at ${dueAt},`;
    if (armedFor === undefined) return [`${entry} has no timer`];
    if (armedFor > dueAt) return [`${entry} has its timer at ${armedFor}, ${armedFor - dueAt} ms late`];
    return earliest > armedFor ? [`${entry} has its timer at ${armedFor}, the wheel waits until ${earliest}`] : [];
  });
  const timed = entries.filter(({ armedFor }) => armedFor !== undefined).length;
  return armed === timed ? faults : [...faults, `${armed} timers for ${timed} entries: some belong to no entry`];
}
