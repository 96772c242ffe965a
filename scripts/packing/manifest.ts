// The package.json of a published package. Versions are the workspace's: nothing is written down twice.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_ENGINES, type Published } from './published.ts';
import { installedWith, lockedPackages } from './sbom.ts';

interface Manifest {
  readonly version: string;
  readonly license: string;
  /** Needed to publish with provenance. */
  readonly repository?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
}

export function manifestOf(root: string, published: Published, imported: readonly string[]): object {
  const { version, license, repository } = read(join(root, 'package.json'));
  const { name, description, keywords, folder, command, entries = [] } = published;
  return {
    name,
    version,
    description,
    keywords,
    license,
    ...(repository === undefined ? {} : { repository: { ...repository, directory: folder } }),
    type: 'module',
    engines: { node: NODE_ENGINES },
    ...(command === undefined ? {} : { bin: { [command.name]: `bin/${command.name}.mjs` } }),
    // For tools that do not read `exports`.
    main: './dist/index.js',
    types: './dist/index.d.ts',
    exports: {
      '.': { types: './dist/index.d.ts', default: './dist/index.js' },
      ...Object.fromEntries(
        entries.map(({ name: each }) => [`./${each}`, { types: `./dist/${each}.d.ts`, default: `./dist/${each}.js` }]),
      ),
      './package.json': './package.json',
    },
    // For compilers that do not read `exports`.
    ...(entries.length > 0 && {
      typesVersions: { '*': Object.fromEntries(entries.map(({ name: each }) => [each, [`./dist/${each}.d.ts`]])) },
    }),
    ...besides(root, imported),
    publishConfig: { access: 'public', provenance: true },
  };
}

/**
 * Packages installed beside it: its imports, and what they bring along, by the lock file's versions. npm knows no lock file of a
 * package that it installs, and would take the newest of a range, which nothing here was tested with.
 */
function besides(
  root: string,
  imported: readonly string[],
): { readonly dependencies: object; readonly optionalDependencies?: object } {
  const packages = lockedPackages(root);
  const folders = [...installedWith(packages, imported)];
  const nameOf = (folder: string): string => folder.replace(/^.*node_modules\//, '');
  const isPinned = ([folder]: (typeof folders)[number]): boolean => {
    const name = nameOf(folder);
    // Not named: packages for some systems only, whose parent names them exactly; and those of several versions, of which only one
    // could be.
    return packages[folder]!.os === undefined && folders.filter(([other]) => nameOf(other) === name).length === 1;
  };
  const versionsIn = (scope: 'required' | 'optional'): Readonly<Record<string, string>> =>
    Object.fromEntries(
      folders
        .filter((each) => each[1] === scope && isPinned(each))
        .map(([folder]): [string, string] => [nameOf(folder), packages[folder]!.version!])
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  const optionalDependencies = versionsIn('optional');
  return {
    dependencies: { ...versionsOf(root, imported), ...versionsIn('required') },
    ...(Object.keys(optionalDependencies).length > 0 && { optionalDependencies }),
  };
}

/** @throws Error for a package that no project depends on, or not by an exact version. */
function versionsOf(root: string, names: readonly string[]): Readonly<Record<string, string>> {
  const manifests = globSync('libs/*/*/package.json', { cwd: root }).map((path) => read(join(root, path)));
  return Object.fromEntries(
    names.map((name) => {
      const version = manifests.map(({ dependencies = {} }) => dependencies[name]).find((each) => each !== undefined);
      if (version === undefined || !/^\d+\.\d+\.\d+$/.test(version))
        throw new Error(`${name} is ${version ?? 'no dependency'}: give it an exact version where it is imported`);
      return [name, version];
    }),
  );
}

function read(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}
