// The parts of a published package (SBOM, CycloneDX 1.6), by the lock file: those bundled into it, and those installed beside
// it. `npm sbom` would name every package of the workspace, and leaves out those of which the lock file has no address.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Locked {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  /** Set in one that is for some systems alone. */
  readonly os?: readonly string[];
}

type Scope = 'required' | 'optional';

/** `packages` of a lock file, by their folders. */
export type LockedPackages = Readonly<Record<string, Locked>>;

export interface Content {
  readonly name: string;
  readonly version: string;
  /** Names of what is installed beside it. */
  readonly dependencies: readonly string[];
  /** Folders of what is bundled into it. */
  readonly bundled: readonly string[];
}

interface Component {
  readonly type: 'library';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly scope: Scope;
  readonly licenses?: readonly object[];
  readonly hashes?: readonly { readonly alg: 'SHA-512'; readonly content: string }[];
}

export function lockedPackages(root: string): LockedPackages {
  return (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { readonly packages: LockedPackages })
    .packages;
}

/**
 * Folders of all that is installed with those packages, and whether it may be left out. `found` is there already.
 *
 * @throws Error for a package that the lock file does not have
 */
export function installedWith(
  packages: LockedPackages,
  dependencies: readonly string[],
  found: ReadonlyMap<string, Scope> = new Map(),
): ReadonlyMap<string, Scope> {
  const all = new Map(found);
  const add = (folder: string, scope: Scope): void => {
    if (all.get(folder) === 'required' || all.get(folder) === scope) return;
    all.set(folder, scope);
    const locked = packages[folder]!;
    for (const each of Object.keys(locked.dependencies ?? {})) add(required(packages, folder, each), scope);
    for (const each of Object.keys(locked.optionalDependencies ?? {})) {
      const optional = folderOf(packages, folder, each);
      if (optional !== undefined) add(optional, 'optional');
    }
  };
  for (const each of dependencies) add(required(packages, '', each), 'required');
  return all;
}

/** The same for the same lock file. @throws Error for a package that the lock file does not have */
export function sbomOf(packages: LockedPackages, { name, version, dependencies, bundled }: Content): object {
  const inside = new Map(bundled.map((folder): [string, Scope] => [folder, 'required']));
  const found = installedWith(packages, dependencies, inside);
  const components = [...found]
    .map(([folder, scope]) => componentOf(folder, packages[folder]!, scope))
    .toSorted((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  const reference = purlOf(name, version);
  const content = {
    metadata: { component: { type: 'library', 'bom-ref': reference, name, version, purl: reference } },
    components,
  };
  return { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: serialOf(content), version: 1, ...content };
}

function required(packages: LockedPackages, from: string, name: string): string {
  const folder = folderOf(packages, from, name);
  if (folder === undefined) throw new Error(`package-lock.json has no ${name}, which ${from || 'the package'} needs`);
  return folder;
}

/** As Node resolves: in the folder's own node_modules, else in those above it. */
function folderOf(packages: LockedPackages, from: string, name: string): string | undefined {
  for (let at = from; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const folder = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`;
    if (packages[folder] !== undefined) return folder;
    if (at === '') return undefined;
  }
}

function componentOf(
  folder: string,
  { name, version = '', license, integrity }: Locked,
  scope: Component['scope'],
): Component {
  const said = name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = purlOf(said, version);
  const hash = /^sha512-(.+)$/.exec(integrity ?? '')?.[1];
  return {
    type: 'library',
    'bom-ref': purl,
    name: said,
    version,
    purl,
    scope,
    ...(license !== undefined && {
      licenses: [/ (OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }],
    }),
    ...(hash !== undefined && {
      hashes: [{ alg: 'SHA-512' as const, content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
  };
}

/** https://github.com/package-url/purl-spec: the @ of a scope is percent-encoded. */
function purlOf(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A UUID (version 8, RFC 9562) of the content. */
function serialOf(content: object): string {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}
