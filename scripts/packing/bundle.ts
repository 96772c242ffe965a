// Bundles the sources of one package: each command's code is a chunk of its own, loaded when it is run.
import { build, type Metafile, type Plugin } from 'esbuild';
import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { type Entry, NATIVE, OPTIONAL, type Published } from './published.ts';

/** Expected by CommonJS dependencies in the module they are bundled into. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url); " +
  'const __dirname = import.meta.dirname;';

/** The parts of a package that determine its bundle. */
type Bundled = Pick<Published, 'folder' | 'entry' | 'programs'> & {
  readonly entries?: readonly Pick<Entry, 'name' | 'entry'>[];
  readonly command?: { readonly entry: string };
};

export interface Bundle {
  /** Files of the workspace and of node_modules that are in it, relative to the root. */
  readonly inputs: readonly string[];
  /** Packages it imports. */
  readonly imported: readonly string[];
}

/** Writes `dist/index.js`, a file for each further entry, `dist/main.js` if there is a command, and its programs, with their chunks. */
export async function bundle(
  root: string,
  { folder, entry, entries = [], command, programs = {} }: Bundled,
  into: string,
): Promise<Bundle> {
  const entryPoints = {
    index: join(folder, entry),
    ...Object.fromEntries(entries.map((each) => [each.name, join(folder, each.entry)])),
    ...(command === undefined ? {} : { main: join(folder, command.entry) }),
    ...programs,
  };
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: join(into, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.15',
    conditions: ['@flatline/source'],
    // Prefers a package's modules: a UMD wrapper's `require` cannot be bundled.
    mainFields: ['module', 'main'],
    external: [...NATIVE, ...OPTIONAL],
    plugins: [workspaceSources],
    banner: { js: REQUIRE },
    // Names are read in stack traces.
    keepNames: false,
    minifySyntax: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  });
  return { inputs: Object.keys(metafile.inputs), imported: importedBy(metafile) };
}

/** Our modules do nothing on being imported, so unused ones are left out, except the one that patches kafkajs. */
const PATCHES = /[\\/]kafkajs-patches\.ts$/;
const SOURCES = /[\\/](libs|apps)[\\/][^\n]*\.ts$/;
/** The sources that read files of the repository, from where, and where a package has them: one folder above its bundle. */
const READERS = [
  [/[\\/]records[\\/]src[\\/]avro[\\/]schema\.ts$/, '../../../../../schemas/', '../schemas/'],
  [/[\\/]http[\\/]dashboard-files\.ts$/, '../../../../../apps/dashboard/dist/', '../dashboard/'],
] as const;

const workspaceSources: Plugin = {
  name: 'workspace-sources',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^(@flatline\/|\.)/ }, async ({ path, kind, importer, resolveDir, pluginData }) => {
      if (pluginData === SOURCES || !SOURCES.test(importer)) return undefined;
      const found = await bundler.resolve(path, { kind, importer, resolveDir, pluginData: SOURCES });
      return { ...found, pluginData: undefined, sideEffects: PATCHES.test(found.path) };
    });
    for (const [filter, inRepository, inPackage] of READERS)
      bundler.onLoad({ filter }, async ({ path }) => {
        const source = await readFile(path, 'utf8');
        if (!source.includes(inRepository)) throw new Error(`${path} reads its files from elsewhere: bundle those`);
        return { contents: source.replace(inRepository, inPackage), loader: 'ts' };
      });
  },
};

/** Packages that some output imports from outside, without Node's own modules. */
function importedBy({ outputs }: Metafile): string[] {
  const imports = Object.values(outputs).flatMap((output) => output.imports);
  const paths = imports.filter(({ path, external }) => external === true && !isBuiltin(path)).map(({ path }) => path);
  return [...new Set(paths)].filter((path) => !OPTIONAL.includes(path)).toSorted();
}
