// Folders of a package that import each other in a circle: to read or move one, a reader needs all of them. What lies beside
// the folders is left out: the index knows everything, and what all share is known by everything.
import { type Finding } from './finding.ts';
import { folderOf, type Project, resolveModule, type Workspace } from './workspace.ts';

/** Folders of the package that a folder imports, each with where it does first. */
type Imports = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** In what ships; what measures and judges it is left alone. */
export function folderCycles(workspace: Workspace): Finding[] {
  const projects = workspace.projects.filter(({ folder }) => !folder.startsWith('apps/lab/'));
  return projects.flatMap((project) => {
    const imports = importsOf(workspace, project);
    return [...imports].flatMap(([folder, others]) =>
      [...others]
        .filter(([other]) => reach(imports, other).has(folder))
        .map(([other, at]) => ({
          at,
          message: `${folder} imports ${other}, which imports it back: move what both need to one of them, or beside them`,
        })),
    );
  });
}

function importsOf(workspace: Workspace, { folder: root, modules }: Project): Imports {
  const beside = `${root}/src`;
  const found = new Map<string, Map<string, string>>();
  for (const { path, imports } of modules.filter(({ isTest }) => !isTest))
    for (const { specifier, line } of imports) {
      const folder = folderOf(path);
      const target = specifier.startsWith('.') ? resolveModule(workspace, path, specifier) : undefined;
      const other = target === undefined ? folder : folderOf(target);
      if (other === folder || folder === beside || other === beside) continue;
      const others = found.get(folder) ?? new Map<string, string>();
      found.set(folder, others);
      if (!others.has(other)) others.set(other, `${path}:${line}`);
    }
  return found;
}

/** All that a folder imports, by others too. */
function reach(imports: Imports, from: string): ReadonlySet<string> {
  const found = new Set<string>([from]);
  for (const folder of found) for (const other of imports.get(folder)?.keys() ?? []) found.add(other);
  return found;
}
