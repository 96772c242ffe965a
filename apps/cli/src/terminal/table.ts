// Rows that come one at a time under one heading, in columns as wide as the terminal allows. Pure.
import { padded, shorten } from './printable.ts';

export interface TableColumn<Of> {
  /** Stands in the heading. A function where the column may be narrower than the name. */
  readonly name: string | ((width: number) => string);
  readonly width: number;
  /** Narrower it would say nothing. Default: `width`, for what must not be cut. */
  readonly least?: number;
  /** Nothing between `least` and `width` is of use. */
  readonly isEither?: boolean;
  /** Where the terminal is too narrow for all, the lowest goes first. Default: always shown. */
  readonly spare?: number;
  /** Escaped; `width` is what the column has. */
  readonly text: (of: Of, width: number) => string;
  /** Colors the cell, its padding with it. */
  readonly paint?: (cell: string, of: Of) => string;
}

export interface Table<Of> {
  readonly heading: string;
  /** Without the columns on the right that say nothing. */
  readonly line: (of: Of) => string;
}

const GAP = '  ';

/** At most `width` wide, as long as the columns that are always shown fit; with Infinity, for a pipe, nothing is cut. */
export function tableOf<Of>(columns: readonly TableColumn<Of>[], width: number): Table<Of> {
  const shown = fitted(columns, width);
  return {
    heading: joined(
      shown.map(({ column: { name }, width: own }) => (typeof name === 'string' ? name : name(own)).padEnd(own)),
    ),
    line: (of) => {
      const texts = shown.map(({ column, width: own }) => {
        const text = column.text(of, own);
        return width === Infinity ? text : shorten(text, own);
      });
      const cells = shown.slice(0, texts.findLastIndex((text) => text !== '') + 1);
      return joined(
        cells.map(({ column: { paint = (cell) => cell }, width: own }, i) => paint(padded(texts[i]!, own), of)),
      );
    },
  };
}

interface Shown<Of> {
  readonly column: TableColumn<Of>;
  readonly width: number;
}

/** Gives room left over to the columns, from the left. */
function fitted<Of>(columns: readonly TableColumn<Of>[], width: number): Shown<Of>[] {
  const kept = keptOf(columns, width);
  let room = width - leastOf(kept);
  return kept.map((column) => {
    const least = column.least ?? column.width;
    const wish = column.width - least;
    const more = column.isEither === true && room < wish ? 0 : Math.max(0, Math.min(room, wish));
    room -= more;
    return { column, width: least + more };
  });
}

function keptOf<Of>(columns: readonly TableColumn<Of>[], width: number): readonly TableColumn<Of>[] {
  if (leastOf(columns) <= width) return columns;
  const first = Math.min(...columns.map(({ spare = Infinity }) => spare));
  return first === Infinity
    ? columns
    : keptOf(
        columns.filter(({ spare }) => spare !== first),
        width,
      );
}

function leastOf<Of>(columns: readonly TableColumn<Of>[]): number {
  return columns.reduce((sum, { least, width }) => sum + (least ?? width) + GAP.length, -GAP.length);
}

function joined(cells: readonly string[]): string {
  return cells.join(GAP).trimEnd();
}
