// The published packages: two, each bundled from one folder of the workspace.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Published {
  /** The name on the registry. */
  readonly name: string;
  readonly description: string;
  readonly keywords: readonly string[];
  /** Its folder in the workspace. */
  readonly folder: string;
  /** Its page below docs/api. */
  readonly apiPage: string;
  /** Source, below `folder`, of the main entry and its declarations. */
  readonly entry: string;
  /** Further entries, `import … from 'flatline/<name>'`: each a source below `folder`, with a page of its own. */
  readonly entries?: readonly Entry[];
  /** The command, if it has one: a source below `folder`, and the name that starts it. */
  readonly command?: { readonly name: string; readonly entry: string };
  /** Programs that the command starts, by the names of their files below `dist`: sources below the root. */
  readonly programs?: Readonly<Record<string, string>>;
  /** True if it serves the dashboard, and carries its files. */
  readonly hasDashboard?: boolean;
  /** Further files of the repository that it contains, in the same folders. */
  readonly files?: readonly string[];
}

export interface Entry {
  readonly name: string;
  readonly entry: string;
  readonly apiPage: string;
}

export const PUBLISHED: readonly Published[] = [
  {
    name: 'flatline',
    description: 'Knows when something stops: closes sessions on Kafka when the log itself proves their silence, once.',
    keywords: ['kafka', 'sessions', 'heartbeat', 'timeout', 'stream-processing', 'exactly-once'],
    folder: 'apps/cli',
    apiPage: 'flatline',
    entry: 'src/index.ts',
    entries: [{ name: 'testing', entry: 'src/testing.ts', apiPage: 'testing' }],
    command: { name: 'flatline', entry: 'src/main.ts' },
    programs: {
      keeper: 'libs/lab/dev-broker/src/keeper.ts',
      supervisor: 'libs/lab/dev-broker/src/supervisor.ts',
      'token-endpoint': 'libs/lab/dev-broker/src/secured/token-endpoint.ts',
    },
    hasDashboard: true,
    files: ['infra/broker/pom.xml', 'infra/registry/pom.xml'],
  },
  {
    name: '@flatline/client',
    description: 'The SDK of Flatline: heartbeats into Kafka, summaries of closed sessions out of it.',
    keywords: ['kafka', 'sessions', 'heartbeat', 'flatline'],
    folder: 'libs/shell/client',
    apiPage: 'client',
    entry: 'src/index.ts',
  },
];

/** The entries of a package, each with the name of its file below `dist`: `index`, then each further entry. */
export function entriesOf({
  name,
  entry,
  apiPage,
  entries = [],
}: Published): readonly (Entry & { readonly file: string })[] {
  return [
    { name, entry, apiPage, file: 'index' },
    ...entries.map((each) => ({ ...each, name: `${name}/${each.name}`, file: each.name })),
  ];
}

/** Node versions that packages support: those that the tests of packages run on. */
export const NODE_ENGINES = '^22.15.0 || ^24.0.0';

/** Native code, which no bundle can contain: dependencies of the published packages. */
export const NATIVE = ['lmdb', 'snappy', 'lz4-napi', '@node-rs/crc32'] as const;

/** Modules that a dependency tries to load and does without. */
export const OPTIONAL: readonly string[] = [
  'bufferutil',
  'utf-8-validate',
  'cpu-features',
  'pg-native',
  './crypto/build/Release/sshcrypto.node',
];

/** Folder in which packages are put together, with their tarballs. */
export function stagingOf(root: string): string {
  return join(root, 'dist', 'packages');
}

/** `flatline-client` of `@flatline/client`, as npm names tarballs. */
export function fileNameOf({ name }: Published): string {
  return name.replace('@', '').replace('/', '-');
}

export function tarballOf(root: string, published: Published): string {
  return join(stagingOf(root), `${fileNameOf(published)}-${versionOf(root)}.tgz`);
}

/** The bill of materials of a tarball (CycloneDX). */
export function sbomFileOf(root: string, published: Published): string {
  return tarballOf(root, published).replace(/\.tgz$/, '.sbom.json');
}

/** The provenance statement of a tarball, as `npm run release -- --rehearse` writes it. */
export function statementFileOf(root: string, published: Published): string {
  return tarballOf(root, published).replace(/\.tgz$/, '.provenance.json');
}

/** All packages have the workspace's version. */
export function versionOf(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly version: string }).version;
}
