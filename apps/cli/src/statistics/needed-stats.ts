// Which of the statistics that a partition said before those that are shown have to be read: what still stands (S12).
//
// The count of active sessions stands until it is said again, however long ago that was. A longer window says it at its end, for every combination
// of values in which anything was counted: so of the shorter ones that were over by then none is needed.
//
// Owns: what is needed only if no longer window follows.
import type { DurationMs, Millis } from '@flatline/base';

/** The length of windows that are shown, and the longest that there is. */
export interface WindowLengths {
  readonly windowMs: DurationMs;
  readonly longestMs: DurationMs;
}

export interface Window {
  readonly windowStart: Millis;
  readonly windowEnd: Millis;
}

/** The window of a record (docs/FORMATS.md, Statistics), whose value need not be read for it. undefined: the key is of something else. */
export function windowOfKey(key: Uint8Array): Window | undefined {
  try {
    const [windowStart, windowEnd] = JSON.parse(Buffer.from(key).toString()) as readonly unknown[];
    if (typeof windowStart === 'number' && typeof windowEnd === 'number') return { windowStart, windowEnd };
  } catch {
    // It is none of ours.
  }
  return undefined;
}

export class NeededStats<Said> {
  readonly #lengths: WindowLengths;
  #pending: Said[] = [];

  constructor(lengths: WindowLengths) {
    this.#lengths = lengths;
  }

  /** Takes the next one. Returns what is needed whatever follows. */
  take({ windowStart, windowEnd }: Window, said: Said): readonly Said[] {
    const { windowMs, longestMs } = this.#lengths;
    const lengthMs = windowEnd - windowStart;
    if (lengthMs === longestMs) {
      // A partition says windows in the order of their ends.
      this.#pending = [];
      return [said];
    }
    if (lengthMs === windowMs) this.#pending.push(said);
    return [];
  }

  /** The rest of what is needed, now that all has come. */
  rest(): readonly Said[] {
    return this.#pending;
  }
}
