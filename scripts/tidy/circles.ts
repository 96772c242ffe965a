/** The targets of each node, with the first place that points there. */
export type Arrows = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The arrows that are part of a circle. */
export function inCircles(arrows: Arrows): { readonly from: string; readonly to: string; readonly at: string }[] {
  return [...arrows].flatMap(([from, others]) =>
    [...others].filter(([to]) => reach(arrows, to).has(from)).map(([to, at]) => ({ from, to, at })),
  );
}

/** All nodes that a node leads to, also indirectly. */
function reach(arrows: Arrows, from: string): ReadonlySet<string> {
  const found = new Set<string>([from]);
  for (const each of found) for (const other of arrows.get(each)?.keys() ?? []) found.add(other);
  return found;
}
