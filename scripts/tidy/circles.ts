/** What each node points at, with where it does first. */
export type Arrows = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The arrows that lie in a circle. */
export function inCircles(arrows: Arrows): { readonly from: string; readonly to: string; readonly at: string }[] {
  return [...arrows].flatMap(([from, others]) =>
    [...others].filter(([to]) => reach(arrows, to).has(from)).map(([to, at]) => ({ from, to, at })),
  );
}

/** All that a node leads to, by others too. */
function reach(arrows: Arrows, from: string): ReadonlySet<string> {
  const found = new Set<string>([from]);
  for (const each of found) for (const other of arrows.get(each)?.keys() ?? []) found.add(other);
  return found;
}
