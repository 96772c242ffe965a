// Modules of a package, or its folders, that import each other in a circle: to read or move one, a reader needs all of them.
// Between folders, files beside them are ignored: the index imports everything, and everything imports shared files.
import { inCircles } from './circles.ts';
import { type Finding } from './finding.ts';
import { folderOf, type Project, resolveModule, type Workspace } from './workspace.ts';

/** An import within a package. */
interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly at: string;
}

export function importCircles(workspace: Workspace): Finding[] {
  return workspace.projects.flatMap((project) => {
    const arrows = arrowsOf(workspace, project);
    const beside = `${project.folder}/src`;
    const folders = arrows.map(({ from, to, at }) => ({ from: folderOf(from), to: folderOf(to), at }));
    return [
      ...circles(arrows),
      ...circles(folders.filter(({ from, to }) => from !== to && from !== beside && to !== beside)),
    ];
  });
}

function circles(arrows: readonly Arrow[]): Finding[] {
  const imports = new Map<string, Map<string, string>>();
  for (const { from, to, at } of arrows) {
    const others = imports.get(from) ?? new Map<string, string>();
    imports.set(from, others);
    if (!others.has(to)) others.set(to, at);
  }
  return inCircles(imports).map(({ from, to, at }) => ({
    at,
    message: `${from} imports ${to}, which imports it back: move what both need to one of them, or beside them`,
  }));
}

function arrowsOf(workspace: Workspace, { folder, modules }: Project): Arrow[] {
  return modules
    .filter(({ isTest }) => !isTest)
    .flatMap(({ path, imports }) =>
      imports.flatMap(({ specifier, line }) => {
        const to = specifier.startsWith('.') ? resolveModule(workspace, path, specifier) : undefined;
        return to?.startsWith(`${folder}/`) === true ? [{ from: path, to, at: `${path}:${line}` }] : [];
      }),
    );
}
