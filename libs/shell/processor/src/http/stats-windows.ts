// The newest windows of statistics that are over, of the partitions that these processes own, added up (S12).
import { DurationSketch } from '@flatline/kinds/session';
import type { TaskStatus } from '@flatline/runtime';
import type { ProcessView } from './observed.ts';

/** Cells of an answer: more are left out, and it says so. */
const CELLS_MAX = 1_000;
const QUANTILES = { p50: 0.5, p90: 0.9, p99: 0.99 } as const;

/** As a task shows it (`shownWindow` of the kind). */
export interface ShownWindow {
  readonly windowStart: number;
  readonly windowEnd: number;
  readonly active: number;
  readonly opened: number;
  readonly closed: number;
  readonly durationSum: number;
  readonly cells: readonly ShownCell[];
}

interface ShownCell {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly opened: number;
  readonly closed: number;
  readonly byReason: Readonly<Record<string, number>>;
  readonly active: number;
  readonly duration: {
    readonly count: number;
    readonly sum: number;
    readonly min?: number | undefined;
    readonly max?: number | undefined;
    readonly sketch: string;
  };
}

export interface StatsWindow extends Omit<ShownWindow, 'cells' | 'durationSum'> {
  /** Partitions whose newest window of this length it is. */
  readonly partitions: readonly number[];
  readonly cells: readonly object[];
  /** Cells were left out. */
  readonly truncated: boolean;
}

export function windowsOf({ kept }: Pick<TaskStatus, 'kept'>): readonly ShownWindow[] {
  return kept as unknown as readonly ShownWindow[];
}

/** By length, the shortest first; empty where none is known. */
export function statsWindows(processes: readonly ProcessView[], pipeline: string): readonly StatsWindow[] {
  const tasks = processes.flatMap(({ pipelines }) =>
    pipelines.filter(({ name }) => name === pipeline).flatMap((each) => each.tasks),
  );
  const all = tasks.flatMap((task) => windowsOf(task).map((window) => ({ window, partition: task.partition })));
  const byLength = Map.groupBy(all, ({ window }) => window.windowEnd - window.windowStart);
  return [...byLength.keys()]
    .sort((a, b) => a - b)
    .map((length) => {
      const found = byLength.get(length)!;
      const newest = Math.max(...found.map(({ window }) => window.windowEnd));
      return addedUp(found.filter(({ window }) => window.windowEnd === newest));
    });
}

function addedUp(parts: readonly { readonly window: ShownWindow; readonly partition: number }[]): StatsWindow {
  const { windowStart, windowEnd } = parts[0]!.window;
  const cells = Map.groupBy(
    parts.flatMap(({ window }) => window.cells),
    ({ dimensions }) => JSON.stringify(dimensions),
  );
  const names = [...cells.keys()].sort();
  const sum = (of: (window: ShownWindow) => number): number => total(parts.map(({ window }) => of(window)));
  return {
    windowStart,
    windowEnd,
    partitions: parts.map(({ partition }) => partition).sort((a, b) => a - b),
    opened: sum(({ opened }) => opened),
    closed: sum(({ closed }) => closed),
    active: sum(({ active }) => active),
    cells: names.slice(0, CELLS_MAX).map((name) => merged(cells.get(name)!)),
    truncated: names.length > CELLS_MAX,
  };
}

function merged(cells: readonly ShownCell[]): object {
  const sketch = new DurationSketch();
  for (const { duration } of cells) sketch.merge(DurationSketch.decode(Buffer.from(duration.sketch, 'base64')));
  const mins = cells.flatMap(({ duration }) => duration.min ?? []);
  const maxs = cells.flatMap(({ duration }) => duration.max ?? []);
  const reasons = Object.keys(cells[0]!.byReason);
  return {
    dimensions: cells[0]!.dimensions,
    opened: total(cells.map(({ opened }) => opened)),
    closed: total(cells.map(({ closed }) => closed)),
    byReason: Object.fromEntries(reasons.map((reason) => [reason, total(cells.map((cell) => cell.byReason[reason]!))])),
    active: total(cells.map(({ active }) => active)),
    duration: {
      count: sketch.count,
      sum: total(cells.map(({ duration }) => duration.sum)),
      min: mins.length === 0 ? null : Math.min(...mins),
      max: maxs.length === 0 ? null : Math.max(...maxs),
      ...Object.fromEntries(Object.entries(QUANTILES).map(([name, q]) => [name, sketch.quantile(q) ?? null])),
      sketch: Buffer.from(sketch.encode()).toString('base64'),
    },
  };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => Math.min(Number.MAX_SAFE_INTEGER, sum + each), 0);
}
