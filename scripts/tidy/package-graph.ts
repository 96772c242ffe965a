// The edges between packages, declared three times and compared: imports, package.json, tsconfig references. And which
// edges there may be.
import { type Finding } from './finding.ts';
import { labDoors, labFolders, layers as layersOfWorkspace, owners as ownersOfWorkspace } from './layers.ts';
import {
  folderOf,
  joinPath,
  packageOf,
  parseJson,
  SCOPE,
  type Manifest,
  type Project,
  type Workspace,
} from './workspace.ts';

export interface Rules {
  readonly layers: Readonly<Record<string, readonly string[]>>;
  readonly owners: Readonly<Record<string, readonly string[]>>;
}

interface Imported {
  readonly name: string;
  readonly at: string;
  readonly inTest: boolean;
}

export function packageGraph(
  workspace: Workspace,
  rules: Rules = { layers: layersOfWorkspace, owners: ownersOfWorkspace },
): Finding[] {
  const ofProjects = workspace.projects.flatMap((project) => {
    const imports = importsOf(project);
    return [
      ...undeclared(project, imports, workspace),
      ...unimported(project, imports),
      ...wrongLayers(project, imports, rules),
      ...intoTheLab(project, imports, workspace),
      ...wrongOwners(project, imports, rules),
      ...wrongReferences(project, workspace),
    ];
  });
  return [...ofProjects, ...wrongRootReferences(workspace)];
}

function importsOf({ manifest, modules }: Project): Imported[] {
  return modules.flatMap(({ path, isTest, imports }) =>
    imports
      .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
      .map(({ specifier, line }) => ({ name: packageOf(specifier), at: `${path}:${line}`, inTest: isTest }))
      .filter(({ name }) => name !== manifest.name),
  );
}

function undeclared({ folder, manifest }: Project, imports: readonly Imported[], { root }: Workspace): Finding[] {
  const { dependencies = {}, devDependencies = {} } = manifest;
  return firstOfEach(imports)
    .filter(({ name, inTest }) => {
      if (name in dependencies) return false;
      if (!inTest) return true;
      // Tools of every test (Jest, fast-check) are declared once, by the root.
      return !(name in devDependencies) && !(name in (root.devDependencies ?? {}));
    })
    .map(({ name, at, inTest }) => ({
      at,
      message: `imports ${name}: declare it in the ${inTest ? 'devDependencies' : 'dependencies'} of ${folder}/package.json`,
    }));
}

/** A package is reported once for sources and once for tests. */
function firstOfEach(imports: readonly Imported[]): Imported[] {
  const first = new Map<string, Imported>();
  for (const each of imports) {
    const id = `${each.inTest ? 'test' : 'source'} ${each.name}`;
    if (!first.has(id)) first.set(id, each);
  }
  return [...first.values()];
}

function unimported({ folder, manifest }: Project, imports: readonly Imported[]): Finding[] {
  const at = `${folder}/package.json`;
  const inSources = new Set(imports.filter(({ inTest }) => !inTest).map(({ name }) => name));
  const inTests = new Set(imports.filter(({ inTest }) => inTest).map(({ name }) => name));
  const dependencies = Object.keys(manifest.dependencies ?? {}).filter((name) => !inSources.has(name));
  const devDependencies = Object.keys(manifest.devDependencies ?? {}).filter((name) => !inTests.has(name));
  return [
    ...dependencies.map((name) => ({
      at,
      message: inTests.has(name)
        ? `only tests import ${name}: move it to devDependencies, and take its reference out of tsconfig.json`
        : `nothing imports ${name}: take it out of dependencies`,
    })),
    ...devDependencies.map((name) => ({ at, message: `no test imports ${name}: take it out of devDependencies` })),
  ];
}

function wrongLayers({ name, folder }: Project, imports: readonly Imported[], { layers }: Rules): Finding[] {
  if (!folder.startsWith('libs/')) return [];
  const allowed = layers[name];
  if (allowed === undefined)
    return [{ at: folder, message: `has no place in the layers: give it one in scripts/tidy/layers.ts` }];
  return imports
    .filter((each) => each.name.startsWith(SCOPE) && !each.inTest && !allowed.includes(each.name.replace(SCOPE, '')))
    .map((each) => ({
      at: each.at,
      message: `${name} may not depend on ${each.name}: pass in what it needs through a port, or change scripts/tidy/layers.ts and docs/ARCHITECTURE.md`,
    }));
}

/** What is shipped never needs what judges or measures it. */
function intoTheLab({ folder }: Project, imports: readonly Imported[], { projects }: Workspace): Finding[] {
  if (isLab(folder) || folder === 'scripts') return [];
  const lab = new Set(projects.filter((each) => isLab(each.folder)).map(({ manifest }) => manifest.name));
  return imports
    .filter(({ name, at, inTest }) => !inTest && lab.has(name) && !labDoors.some((door) => at.startsWith(door)))
    .map(({ name, at }) => ({
      at,
      message: `imports ${name} of the lab: only ${labDoors.join(', ')} may, behind a dynamic import`,
    }));
}

function isLab(folder: string): boolean {
  return labFolders.some((lab) => `${folder}/`.startsWith(lab));
}

function wrongOwners({ name }: Project, imports: readonly Imported[], { owners }: Rules): Finding[] {
  return imports
    .filter((each) => owners[each.name]?.includes(name) === false)
    .map((each) => ({
      at: each.at,
      message: `imports ${each.name}: go through ${SCOPE}${owners[each.name]?.[0] ?? ''}, which owns it`,
    }));
}

interface TsConfig {
  readonly references?: readonly { readonly path: string }[];
}

/** A package's tsconfig.json refers to what its sources depend on; its tests are compiled by the root's. */
function wrongReferences({ folder, manifest }: Project, workspace: Workspace): Finding[] {
  const own = `${folder}/tsconfig.json`;
  if (!workspace.tree.has(own)) return [];
  return compareReferences(workspace, own, referencesFor(workspace, manifest.dependencies));
}

/** `tsc -b` at the root builds every project, then checks every test. */
function wrongRootReferences(workspace: Workspace): Finding[] {
  return compareReferences(
    workspace,
    'tsconfig.json',
    workspace.projects.map(({ folder }) => folder).filter((folder) => workspace.tree.has(`${folder}/tsconfig.json`)),
  );
}

function referencesFor({ projects }: Workspace, dependencies: Manifest['dependencies'] = {}): string[] {
  return projects.filter(({ manifest }) => manifest.name in dependencies).map(({ folder }) => folder);
}

function compareReferences({ tree }: Workspace, at: string, wanted: readonly string[]): Finding[] {
  const { references = [] } = parseJson(tree, at) as TsConfig;
  const found = references.map(({ path }) => joinPath(folderOf(at), path));
  return [
    ...wanted
      .filter((path) => !found.includes(path))
      .map((path) => ({ at, message: `has no reference to ${path}: add it` })),
    ...found
      .filter((path) => !wanted.includes(path))
      .map((path) => ({ at, message: `refers to ${path}, which package.json does not depend on: remove it` })),
  ];
}
