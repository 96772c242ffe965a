// Windows of statistics of all partitions, added up (S12). Pure.
//
// Owns: what was read, by window and by partition.
// Does not own: reading.
import { type DurationMs, MalformedBytes, type Millis } from '@flatline/base';
import { DurationSketch } from '@flatline/kinds/session';
import type { SessionStats } from '@flatline/ports/formats';
import type { WindowLengths } from './needed-stats.ts';

/** One window, of all partitions and of the dimensions asked for. */
export interface WindowSum {
  readonly windowStart: Millis;
  readonly windowEnd: Millis;
  opened: number;
  closed: number;
  /** By the last word of each partition and combination of values. */
  active: number;
  readonly byReason: Map<string, number>;
  durationSum: DurationMs;
  readonly sketch: DurationSketch;
}

export interface WindowsAsked extends WindowLengths {
  /** Names of those that are configured: what others said is of another count. */
  readonly dimensions: readonly string[];
  /** Values of dimensions that count; of others all do. */
  readonly where: ReadonlyMap<string, string>;
}

export class WindowSums {
  readonly #asked: WindowsAsked;
  readonly #windows = new Map<Millis, WindowSum>();
  /** Last words on what is active, by the ends of windows, then by partition and values. */
  readonly #active = new Map<Millis, Map<string, SessionStats>>();

  constructor(asked: WindowsAsked) {
    this.#asked = asked;
  }

  /** Adds what stands of the time before what is shown. */
  addBefore(stats: SessionStats): void {
    const { windowStart, windowEnd, dimensions } = stats;
    if (!this.#counts(stats)) return;
    const { windowMs, longestMs } = this.#asked;
    if (![windowMs, longestMs].includes(windowEnd - windowStart)) return;
    const active = this.#active.get(windowEnd) ?? new Map<string, SessionStats>();
    active.set(JSON.stringify([stats.partition, ...dimensions]), stats);
    this.#active.set(windowEnd, active);
  }

  /** Returns false, and leaves it out, where its sketch is none. */
  add(stats: SessionStats): boolean {
    const { windowStart, windowEnd, byReason, duration } = stats;
    if (windowEnd - windowStart !== this.#asked.windowMs || !this.#counts(stats)) return true;
    const window = this.#windows.get(windowStart) ?? newWindow(windowStart, windowEnd);
    if (!isMerged(window.sketch, duration.sketch)) return false;
    this.addBefore(stats);
    this.#windows.set(windowStart, window);
    window.opened += stats.opened;
    window.closed += stats.closed;
    window.durationSum += duration.sum;
    for (const [reason, count] of byReason) window.byReason.set(reason, (window.byReason.get(reason) ?? 0) + count);
    return true;
  }

  #counts({ dimensions }: SessionStats): boolean {
    const { dimensions: names, where } = this.#asked;
    if (dimensions.size !== names.length || !names.every((name) => dimensions.has(name))) return false;
    return [...where].every(([name, value]) => dimensions.get(name) === value);
  }

  /** The last `most` windows, oldest first; those in which nothing was counted, between others, with what was active. */
  last(most: number): readonly WindowSum[] {
    const starts = [...this.#windows.keys()].sort((a, b) => a - b);
    const newest = starts.at(-1);
    if (newest === undefined) return [];
    const standing = this.#standingBehind();
    const shown: WindowSum[] = [];
    const first = newest - (most - 1) * this.#asked.windowMs;
    for (const start of starts) {
      this.#fill(shown, Math.max(first, starts[0]!), start);
      const window = this.#windows.get(start)!;
      window.active = standing(window.windowEnd);
      if (start >= first) shown.push(window);
    }
    return shown;
  }

  /** Returns what is active at an instant, asked in their order. */
  #standingBehind(): (end: Millis) => number {
    const standing = new Map<string, SessionStats>();
    const ends = [...this.#active.keys()].sort((a, b) => a - b);
    let at = 0;
    return (end) => {
      for (; at < ends.length && ends[at]! <= end; at += 1) {
        const said = this.#active.get(ends[at]!)!;
        for (const stats of said.values()) if (stats.countedFrom > stats.windowStart) forget(standing, stats);
        for (const [who, stats] of said) standing.set(who, stats);
      }
      return [...standing.values()].reduce((sum, { active }) => sum + active, 0);
    };
  }

  #fill(shown: WindowSum[], first: Millis, end: Millis): void {
    const last = shown.at(-1);
    if (last === undefined) return;
    for (let start = Math.max(first, last.windowEnd); start < end; start += this.#asked.windowMs)
      shown.push({ ...newWindow(start, start + this.#asked.windowMs), active: last.active });
  }
}

/** False: the bytes are no sketch, or one of more durations than there can be, and nothing is added. */
function isMerged(sketch: DurationSketch, bytes: Uint8Array): boolean {
  try {
    sketch.merge(DurationSketch.decode(bytes));
    return true;
  } catch (error) {
    if (error instanceof MalformedBytes) return false;
    throw error;
  }
}

/** A count that began within its window has nothing of what the partition said before (S12). */
function forget(standing: Map<string, SessionStats>, { partition, countedFrom }: SessionStats): void {
  for (const [who, stats] of standing)
    if (stats.partition === partition && stats.windowEnd <= countedFrom) standing.delete(who);
}

function newWindow(windowStart: Millis, windowEnd: Millis): WindowSum {
  return {
    windowStart,
    windowEnd,
    opened: 0,
    closed: 0,
    active: 0,
    byReason: new Map(),
    durationSum: 0,
    sketch: new DurationSketch(),
  };
}

const BARS = '▁▂▃▄▅▆▇█';

/** One character for each number, as high as its share of the greatest. */
export function sparkline(numbers: readonly number[]): string {
  const most = Math.max(...numbers, 1);
  return numbers.map((each) => BARS[Math.min(BARS.length - 1, Math.floor((each / most) * BARS.length))]!).join('');
}
