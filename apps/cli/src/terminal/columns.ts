/** Rows as lines: each column as wide as its longest cell, two spaces between; an empty one is left out. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .filter((_, column) => widths[column]! > 0)
      .join('  ');
  return rows.map((row) => `  ${line(row)}`.trimEnd());
}
