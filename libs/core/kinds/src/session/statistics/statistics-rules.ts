import type { DurationMs } from '@flatline/base';

/** Statistics of sessions, by windows of the clock and values of their attributes (S12). */
export interface StatisticsRules {
  /** Lengths of the windows, ascending, each a multiple of the one before; they begin at multiples of it since the epoch. */
  readonly windows: readonly DurationMs[];
  readonly dimensions: readonly Dimension[];
}

export interface Dimension {
  readonly name: string;
  /** The attribute whose values it tells apart. */
  readonly attribute: string;
  /** Values told apart, those that a partition sees first; all others are OTHER. */
  readonly max: number;
}

/** The value of what is beyond `max`, or longer than VALUE_LENGTH_MAX. */
export const OTHER = 'other';
/** UTF-16 units. */
export const VALUE_LENGTH_MAX = 64;
/** Cells of a partition, over all windows: each commit carries those in which anything was counted. */
export const CELLS_MAX = 300;

/**
 * Bytes of a cell at most, with what a dimension's values take elsewhere: 53 octaves of bins, and 2^14 sessions in each of them, or
 * a million sessions, spread as theirs usually are, in a few hundred.
 */
export const CELL_BYTES = 4_000;

/** Number of cells that the rules allow: sessions without the attribute, and those of OTHER, count beside the `max` values. */
export function cellsOf({ windows, dimensions }: StatisticsRules): number {
  return dimensions.reduce((cells, { max }) => cells * (max + 2), windows.length);
}
