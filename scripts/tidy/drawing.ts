// Compares the drawing of the packages in docs/ARCHITECTURE.md with the packages: a drawing that nothing checks soon shows former
// code.
import { type Finding } from './finding.ts';
import { SCOPE, type Workspace } from './workspace.ts';

const PAGE = 'docs/ARCHITECTURE.md';
/** Part of the workspace, but not of the architecture. */
const undrawn: ReadonlySet<string> = new Set(['scripts']);

/** Every package is drawn, every arrow is a dependency, and every dependency can be reached along arrows. */
export function drawing({ tree, projects }: Workspace): Finding[] {
  const drawn = parseDrawing(tree.get(PAGE) ?? '');
  const drawnProjects = projects.filter(({ name }) => !undrawn.has(name));
  const names = new Set(drawnProjects.map(({ name }) => name));
  const missing = [...names].filter((name) => !drawn.has(name)).map((name) => `does not draw ${name}: add it`);
  const unknown = [...drawn.keys()]
    .filter((name) => !names.has(name))
    .map((name) => `draws ${name}, which is no package`);
  const edges = drawnProjects.flatMap(({ name, manifest }) => {
    const dependencies = Object.keys(manifest.dependencies ?? {}).flatMap((each) =>
      each.startsWith(SCOPE) ? [each.slice(SCOPE.length)] : [],
    );
    const arrows = [...(drawn.get(name) ?? [])];
    const reached = reachableFrom(name, drawn);
    return [
      ...dependencies
        .filter((to) => !reached.has(to))
        .map((to) => `draws no way from ${name} to ${to}, which it imports`),
      ...arrows
        .filter((to) => !dependencies.includes(to))
        .map((to) => `draws ${name} --> ${to}, which it does not import`),
    ];
  });
  return [...missing, ...unknown, ...edges].map((message) => ({ at: PAGE, message }));
}

/** Arrows by package: `a & b --> c & d`, with `alias[name]` for names that Mermaid would not take as an id. */
function parseDrawing(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const block = /```mermaid\nflowchart [A-Z]+\n([^]*?)```/.exec(text)?.[1] ?? '';
  const names = new Map([...block.matchAll(/(\w+)\[([\w-]+)\]/g)].map(([, alias = '', name = '']) => [alias, name]));
  const nodesOf = (side: string): string[] =>
    side.split('&').map((node) => {
      const id = node.trim().replace(/\[.*/, '');
      return names.get(id) ?? id;
    });
  const arrows = new Map<string, Set<string>>();
  for (const line of block.split('\n')) {
    if (/^\s*(subgraph\b|end\b|$)/.test(line)) continue;
    const [from = '', to] = line.split('-->');
    for (const node of nodesOf(from)) {
      const targets = arrows.get(node) ?? new Set();
      for (const target of to === undefined ? [] : nodesOf(to)) {
        targets.add(target);
        if (!arrows.has(target)) arrows.set(target, new Set());
      }
      arrows.set(node, targets);
    }
  }
  return arrows;
}

function reachableFrom(start: string, arrows: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const waiting = [start];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
    for (const next of arrows.get(name) ?? [])
      if (!reached.has(next)) {
        reached.add(next);
        waiting.push(next);
      }
  return reached;
}
