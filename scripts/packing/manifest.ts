// The package.json of a published package. Versions are the workspace's: nothing is written down twice.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NODE_ENGINES, type Published } from './published.ts';

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
    dependencies: versionsOf(root, imported),
    publishConfig: { access: 'public', provenance: true },
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
