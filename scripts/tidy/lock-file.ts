// package-lock.json: in step with every package.json, and without holes. Npm drops optional packages that a registry
// does not have, silently, and `npm ci` on another platform then fails.
import { type Finding } from './finding.ts';
import { joinPath, parseJson, type Manifest, type Workspace } from './workspace.ts';

interface LockFile {
  readonly packages?: Readonly<Record<string, Manifest>>;
}

const kinds = ['dependencies', 'devDependencies', 'optionalDependencies'] as const;
const AT = 'package-lock.json';

export function lockFile(workspace: Workspace): Finding[] {
  const { packages = {} } = parseJson(workspace.tree, AT) as LockFile;
  const manifests: [string, Manifest][] = [
    ['', workspace.root],
    ...workspace.projects.map(({ folder, manifest }): [string, Manifest] => [folder, manifest]),
  ];
  return [
    ...manifests.flatMap(([folder, manifest]) =>
      kinds
        .filter((kind) => canonical(manifest[kind]) !== canonical(packages[folder]?.[kind]))
        .map((kind) => ({
          at: joinPath(folder, 'package.json'),
          message: `${kind} differ from ${AT}: run npm install --ignore-scripts`,
        })),
    ),
    ...Object.entries(packages).flatMap(([path, entry]) =>
      [...Object.keys(entry.dependencies ?? {}), ...Object.keys(entry.optionalDependencies ?? {})]
        .filter((name) => !placesFor(path, name).some((place) => place in packages))
        .map((name) => ({
          at: AT,
          message: `${path === '' ? 'package.json' : path} depends on ${name}, which is missing: pin a version whose packages for all platforms exist`,
        })),
    ),
  ];
}

function canonical(dependencies: Manifest['dependencies'] = {}): string {
  return JSON.stringify(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Paths at which a package at `path` finds another, nearest first. */
function placesFor(path: string, name: string): string[] {
  const parts = path === '' ? [] : path.split('/');
  return parts
    .map((_, index) => parts.slice(0, parts.length - index))
    .concat([[]])
    .map((folders) => [...folders, 'node_modules', name].join('/'));
}
