// A window that is over, as operators are shown it: plain data, of one partition.
import type { Millis } from '@flatline/base';
import type { SessionStats } from '@flatline/ports/formats';
import type { ShownEntry } from '../../shown-entry.ts';

/** `active`: over all cells, those that are not said with them. */
export function shownWindow(
  window: { readonly windowStart: Millis; readonly windowEnd: Millis },
  active: number,
  cells: readonly SessionStats[],
): ShownEntry {
  return {
    ...window,
    active,
    opened: sum(cells.map(({ opened }) => opened)),
    closed: sum(cells.map(({ closed }) => closed)),
    durationSum: sum(cells.map(({ duration }) => duration.sum)),
    cells: cells.map(({ dimensions, opened, closed, byReason, active: open, duration }) => ({
      dimensions: Object.fromEntries(dimensions),
      opened,
      closed,
      byReason: Object.fromEntries(byReason),
      active: open,
      duration: { ...duration, sketch: btoa(String.fromCharCode(...duration.sketch)) },
    })),
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
