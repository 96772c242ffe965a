import type { Spread } from './statistics.ts';

/** Aligned columns: the first to the left, figures to the right. The first row is the head. */
export function textTable(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `3.14 M`, `512 k`, `87.5`: three digits that count. */
export function short(value: number): string {
  if (value >= 999_500) return `${(value / 1e6).toPrecision(3)} M`;
  if (value >= 9_995) return `${(value / 1e3).toPrecision(3)} k`;
  return value >= 999.5 ? value.toFixed(0) : value.toPrecision(3);
}

/** `3.14 M (2.97 M – 3.20 M)`: median, least to most; the median alone if all are the same. */
export function spreadText({ median, min, max }: Spread): string {
  return min === max ? short(median) : `${short(median)} (${short(min)} – ${short(max)})`;
}

/** `4.6 (4.4 – 5.0)` of milliseconds. */
export function secondsText({ median, min, max }: Spread): string {
  return min === max ? seconds(median) : `${seconds(median)} (${seconds(min)} – ${seconds(max)})`;
}

export function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

/** `n/a`, or the given text, if some turn did not tell. */
export function ifKnown(spread: Spread | undefined, text: (known: Spread) => string, absent = 'n/a'): string {
  return spread === undefined ? absent : text(spread);
}

export function medianText({ median }: Spread): string {
  return short(median);
}

/** `(2.97 M – 3.20 M)`, least to most; empty if all are the same. */
export function rangeText({ min, max }: Spread): string {
  return min === max ? '' : `(${short(min)} – ${short(max)})`;
}

/** `412 MB`, decimal. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
