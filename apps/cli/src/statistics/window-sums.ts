// Windows of statistics of all partitions, added up (S12). Pure.
//
// Owns: what was read, by window and by partition.
// Does not own: reading.
import type { DurationMs, Millis } from '@flatline/base';
import { DurationSketch } from '@flatline/kinds/session';
import type { SessionStats } from '@flatline/ports/formats';

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

export class WindowSums {
  readonly #windowMs: DurationMs;
  readonly #where: ReadonlyMap<string, string>;
  readonly #windows = new Map<Millis, WindowSum>();
  /** Last words on what is active, in the order of windows: by partition and values. */
  readonly #active = new Map<Millis, Map<string, number>>();

  /** `where`: values of dimensions that count; of others all do. */
  constructor(windowMs: DurationMs, where: ReadonlyMap<string, string>) {
    this.#windowMs = windowMs;
    this.#where = where;
  }

  add(stats: SessionStats): void {
    const { windowStart, windowEnd, dimensions, byReason, duration } = stats;
    if (windowEnd - windowStart !== this.#windowMs) return;
    for (const [name, value] of this.#where) if (dimensions.get(name) !== value) return;
    const window = this.#windows.get(windowStart) ?? newWindow(windowStart, windowEnd);
    this.#windows.set(windowStart, window);
    window.opened += stats.opened;
    window.closed += stats.closed;
    window.durationSum += duration.sum;
    for (const [reason, count] of byReason) window.byReason.set(reason, (window.byReason.get(reason) ?? 0) + count);
    window.sketch.merge(DurationSketch.decode(duration.sketch));
    const active = this.#active.get(windowStart) ?? new Map<string, number>();
    active.set(JSON.stringify([stats.partition, ...dimensions]), stats.active);
    this.#active.set(windowStart, active);
  }

  /** The last `most` windows, oldest first; those in which nothing was counted, between others, with what was active. */
  last(most: number): readonly WindowSum[] {
    const starts = [...this.#windows.keys()].sort((a, b) => a - b);
    const newest = starts.at(-1);
    if (newest === undefined) return [];
    const standing = new Map<string, number>();
    const shown: WindowSum[] = [];
    const first = newest - (most - 1) * this.#windowMs;
    for (const start of starts) {
      for (const [who, count] of this.#active.get(start)!) standing.set(who, count);
      this.#fill(shown, Math.max(first, starts[0]!), start);
      const window = this.#windows.get(start)!;
      window.active = [...standing.values()].reduce((sum, each) => sum + each, 0);
      if (start >= first) shown.push(window);
    }
    return shown;
  }

  #fill(shown: WindowSum[], first: Millis, end: Millis): void {
    const last = shown.at(-1);
    if (last === undefined) return;
    for (let start = Math.max(first, last.windowEnd); start < end; start += this.#windowMs)
      shown.push({ ...newWindow(start, start + this.#windowMs), active: last.active });
  }
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
