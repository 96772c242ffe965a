// The references of pages (*.md) must exist: files and folders in backticks, links with their headings, npm scripts. Code moves,
// and a page that still names the former place misleads its reader.
import { type Finding } from './finding.ts';
import { folderOf, joinPath, type Manifest, type Tree, type Workspace } from './workspace.ts';

/** Names of files that users write. */
const usersFiles: ReadonlySet<string> = new Set(['flatline.config.ts']);
/** History may name files of its time. */
const HISTORY = 'CHANGELOG.md';

export function pageReferences({ tree, root }: Workspace): Finding[] {
  const pages = [...tree.keys()].filter((path) => path.endsWith('.md') && path !== HISTORY);
  const folders = foldersOf(tree);
  return pages.flatMap((page) =>
    linesOf(tree, page).flatMap(({ text, isFenced }, index) =>
      [
        ...missingScripts(text, root.scripts),
        ...missingPaths(text, tree, folders),
        ...(isFenced ? [] : brokenLinks(text, page, tree, folders)),
      ].map((message) => ({ at: `${page}:${index + 1}`, message })),
    ),
  );
}

export function linesOf(tree: Tree, page: string): { readonly text: string; readonly isFenced: boolean }[] {
  let isFenced = false;
  return (tree.get(page) ?? '').split('\n').map((text) => {
    if (/^\s*```/.test(text)) isFenced = !isFenced;
    return { text, isFenced };
  });
}

function missingScripts(text: string, scripts: Manifest['scripts'] = {}): string[] {
  return [...text.matchAll(/\bnpm run (?:-s )?([a-z][\w:-]*)/g)]
    .filter(([, script = '']) => !(script in scripts))
    .map(([command]) => `${command} is no script of package.json`);
}

/** Missing paths below a folder of the root, unless built; in backticks, a source by its name or a folder with its slash. */
function missingPaths(text: string, tree: Tree, folders: ReadonlySet<string>): string[] {
  const belowRoot = [...text.matchAll(/(?<![\w./@…-])([a-z]+)\/[\w@.*/-]*[\w/]/g)]
    .filter(([path, top = '']) => folders.has(top) && !/\/dist\b|\*/.test(path))
    .map(([path]) => path.replace(/\/$/, ''))
    .filter((path) => !tree.has(path) && !folders.has(path));
  const byName = [...text.matchAll(/`([\w@-][\w@./-]*(?:\.(?:ts|mjs|avsc)|\/))`/g)]
    .map(([, name = '']) => name)
    .filter((name) => !usersFiles.has(name) && !endsOne(name.endsWith('/') ? folders : tree.keys(), name));
  return [...new Set([...belowRoot, ...byName])].map((path) => `${path} does not exist: correct the path`);
}

function endsOne(paths: Iterable<string>, name: string): boolean {
  return [...paths].some((path) => `/${path}`.endsWith(`/${name.replace(/\/$/, '')}`));
}

function brokenLinks(text: string, page: string, tree: Tree, folders: ReadonlySet<string>): string[] {
  return [...text.matchAll(/\]\(((?!\w+:)[^)#\s]*)(?:#([^)\s]*))?\)/g)].flatMap(([, target = '', anchor]) => {
    const path = target === '' ? page : joinPath(folderOf(page), target);
    if (!tree.has(path) && !folders.has(path)) return [`links to ${target}, which does not exist`];
    // Places in reports are left to quoted-figures.ts.
    const isHeading = anchor === undefined || path.endsWith('.json') || headingsOf(tree, path).includes(anchor);
    return isHeading ? [] : [`links to ${target}#${anchor}, where no heading is called so`];
  });
}

/** The anchors that a forge gives the headings of a page. */
function headingsOf(tree: Tree, page: string): string[] {
  return linesOf(tree, page).flatMap(({ text, isFenced }) => {
    const heading = isFenced ? undefined : /^#+ (.*)$/.exec(text)?.[1];
    return heading === undefined
      ? []
      : [
          heading
            .toLowerCase()
            .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
            .replaceAll(' ', '-'),
        ];
  });
}

function foldersOf(tree: Tree): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of tree.keys())
    for (let folder = folderOf(path); folder !== '' && !folders.has(folder); folder = folderOf(folder))
      folders.add(folder);
  return folders;
}
