/** Names further away than this are not worth suggesting. */
const DISTANCE_MAX = 2;

/** `; did you mean x?`, or nothing. */
export function didYouMean(name: string, known: readonly string[]): string {
  const nearest = known
    .map((other) => ({ other, distance: editDistance(name.toLowerCase(), other.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return nearest !== undefined && nearest.distance <= DISTANCE_MAX ? `; did you mean ${nearest.other}?` : '';
}

/** Levenshtein, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
