// Packages that another must not reach, by any path: each direct edge may be allowed, but not their sum.
import { type Finding } from './finding.ts';
import { apart as apartInWorkspace } from './layers.ts';
import { SCOPE, type Workspace } from './workspace.ts';

export function broughtAlong({ projects }: Workspace, apart = apartInWorkspace): Finding[] {
  const dependencies = new Map(
    projects.map(({ name, manifest }) => [
      name,
      Object.keys(manifest.dependencies ?? {}).flatMap((each) =>
        each.startsWith(SCOPE) ? [each.slice(SCOPE.length)] : [],
      ),
    ]),
  );
  return projects.flatMap(({ name, folder }) =>
    (apart[name] ?? []).flatMap((unwanted) => {
      const way = wayTo(unwanted, name, dependencies);
      const message = `brings ${unwanted} along (${way?.join(' → ') ?? ''}): move what both need to where both may have it`;
      return way === undefined ? [] : [{ at: `${folder}/package.json`, message }];
    }),
  );
}

/** The shortest path. */
function wayTo(
  target: string,
  start: string,
  dependencies: ReadonlyMap<string, readonly string[]>,
): readonly string[] | undefined {
  const ways = [[start]];
  const seen = new Set([start]);
  for (let way = ways.shift(); way !== undefined; way = ways.shift()) {
    const last = way.at(-1)!;
    if (last === target) return way;
    for (const next of dependencies.get(last) ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      ways.push([...way, next]);
    }
  }
  return undefined;
}
