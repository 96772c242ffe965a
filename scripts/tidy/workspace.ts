// The workspace in tidy's terms: texts by path, and its projects with their declarations.
import { parseModule, type SourceModule } from './source-module.ts';

/** Text files by path from the workspace's root, with `/` between folders. */
export type Tree = ReadonlyMap<string, string>;

/** The parts of a package.json that tidy reads. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

export interface Project {
  /** Package name without its scope. */
  readonly name: string;
  /** `libs/shell/kafka`. */
  readonly folder: string;
  readonly manifest: Manifest;
  readonly modules: readonly SourceModule[];
}

export interface Workspace {
  readonly tree: Tree;
  readonly root: Manifest;
  readonly projects: readonly Project[];
}

export const SCOPE = '@flatline/';

/** Reads the projects out of the texts. */
export function parseWorkspace(tree: Tree): Workspace {
  const root = parseJson(tree, 'package.json') as Manifest;
  const projects = [...tree.keys()]
    .filter((path) => (root.workspaces ?? []).some((pattern) => isManifestOf(pattern, path)))
    .map((path) => parseProject(tree, path.slice(0, -'/package.json'.length)));
  return { tree, root, projects };
}

/** Parses a JSON file of the tree; an empty object if there is none. */
export function parseJson(tree: Tree, path: string): unknown {
  const text = tree.get(path);
  return text === undefined ? {} : JSON.parse(text);
}

/** The path of the workspace's module that a specifier names; undefined: it is from outside. */
export function resolveModule({ tree, projects }: Workspace, from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) {
    const path = joinPath(folderOf(from), specifier);
    return tree.has(path) ? path : undefined;
  }
  const project = projects.find(({ manifest }) => manifest.name === packageOf(specifier));
  return project && entriesOf(project).get(specifier);
}

/** The modules that a package shows to others, by the specifier they are imported with. */
export function entriesOf({ manifest, folder, modules }: Project): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const [subpath, target] of Object.entries(manifest.exports ?? {})) {
    const file = typeof target === 'string' ? target : target['@flatline/source'];
    if (file === undefined) continue;
    const [specifier, path] = [joinPath(manifest.name, subpath), joinPath(folder, file)];
    if (!specifier.endsWith('/*')) entries.set(specifier, path);
    else for (const each of wordsFor(path, modules)) entries.set(specifier.replace('*', each), path.replace('*', each));
  }
  return entries;
}

/** The text in place of the `*` of a pattern, in the paths of modules: never two folders, though Node would take them. */
function wordsFor(pattern: string, modules: readonly SourceModule[]): string[] {
  const [before = '', after = ''] = pattern.split('*');
  return modules
    .filter(({ path }) => path.startsWith(before) && path.endsWith(after))
    .map(({ path }) => path.slice(before.length, -after.length))
    .filter((word) => word !== '' && !word.includes('/'));
}

/** `@scope/name` or `name` of a bare specifier. */
export function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function isManifestOf(pattern: string, path: string): boolean {
  const folder = path.endsWith('/package.json') ? path.slice(0, -'/package.json'.length) : undefined;
  if (folder === undefined) return false;
  return pattern.endsWith('/*') ? folderOf(folder) === pattern.slice(0, -2) : folder === pattern;
}

function parseProject(tree: Tree, folder: string): Project {
  const manifest = parseJson(tree, `${folder}/package.json`) as Manifest;
  const modules = [...tree]
    .filter(([path]) => path.startsWith(`${folder}/`) && /\.(ts|mjs)$/.test(path) && !path.endsWith('.d.ts'))
    .map(([path, text]) => parseModule(path, text));
  return { name: manifest.name.replace(SCOPE, ''), folder, manifest, modules };
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** Resolves `.` and `..`; both arguments with `/` between folders. */
export function joinPath(folder: string, relative: string): string {
  const parts: string[] = [];
  for (const part of `${folder}/${relative}`.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}
