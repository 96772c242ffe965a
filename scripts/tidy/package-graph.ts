// Compares the three declarations of the edges between packages: imports, package.json, tsconfig references. Also finds edges into
// the lab. Permitted dependencies of a library are left to eslint.config.mjs.
import { type Finding } from './finding.ts';
import { labDoors, labFolders, owners, playground } from './layers.ts';
import { folderOf, joinPath, packageOf, parseJson, type Project, SCOPE, type Workspace } from './workspace.ts';

interface Imported {
  readonly name: string;
  readonly at: string;
  readonly inTest: boolean;
  /** Behind the developers' door, and so in no package. */
  readonly inDoor: boolean;
  /** Behind the door to the published part of the lab. */
  readonly inPlayground: boolean;
}

export function packageGraph(workspace: Workspace): Finding[] {
  const ofProjects = workspace.projects.flatMap((project) => {
    const imports = importsOf(project);
    return [
      ...undeclared(project, imports, workspace),
      ...unimported(project, imports),
      ...intoTheLab(project, imports, workspace),
      ...throughDoors(project),
      ...wrongOwners(project, imports),
      ...intoThePlayground(project),
      ...wrongReferences(project, imports, workspace),
    ];
  });
  return [...ofProjects, ...wrongRootReferences(workspace)];
}

function importsOf({ manifest, modules }: Project): Imported[] {
  return modules.flatMap(({ path, isTest, imports }) =>
    imports
      .filter(({ specifier }) => !specifier.startsWith('.') && !specifier.startsWith('node:'))
      .map(({ specifier, line }) => ({
        name: packageOf(specifier),
        at: `${path}:${line}`,
        inTest: isTest,
        inDoor: isDoor(path),
        inPlayground: path.startsWith(playground.door),
      }))
      .filter(({ name }) => name !== manifest.name),
  );
}

function undeclared({ folder, manifest }: Project, imports: readonly Imported[], { root }: Workspace): Finding[] {
  const { dependencies = {}, devDependencies = {} } = manifest;
  return firstOfEach(imports)
    .filter(({ name, inTest, inDoor }) => {
      if (name in dependencies) return false;
      if (!inTest) return !inDoor || !(name in devDependencies);
      // Tools of every test (Jest, fast-check) are declared once, by the root.
      return !(name in devDependencies) && !(name in (root.devDependencies ?? {}));
    })
    .map(({ name, at, inTest, inDoor }) => ({
      at,
      message: `imports ${name}: declare it in the ${inTest || inDoor ? 'devDependencies' : 'dependencies'} of ${folder}/package.json`,
    }));
}

/** Reports a package once for sources, once for those behind a door, and once for tests. */
function firstOfEach(imports: readonly Imported[]): Imported[] {
  const first = new Map<string, Imported>();
  for (const each of imports) {
    const id = `${each.inTest ? 'test' : each.inDoor ? 'door' : 'source'} ${each.name}`;
    if (!first.has(id)) first.set(id, each);
  }
  return [...first.values()];
}

function unimported({ folder, manifest }: Project, imports: readonly Imported[]): Finding[] {
  const at = `${folder}/package.json`;
  const isShipped = ({ inTest, inDoor }: Imported): boolean => !inTest && !inDoor;
  const inSources = new Set(imports.filter(isShipped).map(({ name }) => name));
  const elsewhere = new Set(imports.filter((each) => !isShipped(each)).map(({ name }) => name));
  const byDoor = doorImports(imports);
  const dependencies = Object.keys(manifest.dependencies ?? {}).filter((name) => !inSources.has(name));
  const devDependencies = Object.keys(manifest.devDependencies ?? {}).filter((name) => !elsewhere.has(name));
  return [
    ...dependencies.map((name) => ({
      at,
      message: byDoor.has(name)
        ? `only ${labDoors.join(', ')} imports ${name}: move it to devDependencies`
        : elsewhere.has(name)
          ? `only tests import ${name}: move it to devDependencies, and take its reference out of tsconfig.json`
          : `nothing imports ${name}: take it out of dependencies`,
    })),
    ...devDependencies.map((name) => ({ at, message: `no test imports ${name}: take it out of devDependencies` })),
  ];
}

/** Shipped code never needs the code that judges or measures it; only the playground uses the lab's published part. */
function intoTheLab({ folder }: Project, imports: readonly Imported[], { projects }: Workspace): Finding[] {
  if (isLab(folder) || folder === 'scripts') return [];
  const lab = new Set(projects.filter((each) => isLab(each.folder)).map(({ manifest }) => manifest.name));
  return imports
    .filter(({ name, inTest, inDoor }) => !inTest && lab.has(name) && !inDoor)
    .filter(({ name, inPlayground }) => !inPlayground || !playground.packages.includes(name))
    .map(({ name, at, inPlayground }) => ({
      at,
      message: inPlayground
        ? `imports ${name} of the lab: of what is published only ${playground.packages.join(', ')} are`
        : `imports ${name} of the lab: only ${[...labDoors, playground.door].join(', ')} may`,
    }));
}

/** Nor does it need code behind the doors: no package contains that. */
function throughDoors({ folder, modules }: Project): Finding[] {
  if (isLab(folder)) return [];
  return modules
    .filter(({ path, isTest }) => !isTest && path.includes('/src/') && !isDoor(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier }) => specifier.startsWith('.') && isDoor(joinPath(folderOf(path), specifier)))
        .map(({ specifier, line }) => ({
          at: `${path}:${line}`,
          message: `imports ${specifier}, which no package contains: have the entry behind that door pass it in`,
        })),
    );
}

/** Nor does it load the playground, until one of its commands is run. */
function intoThePlayground({ folder, modules }: Project): Finding[] {
  if (isLab(folder)) return [];
  const isInside = (path: string): boolean => path.startsWith(playground.door);
  return modules
    .filter(({ path, isTest }) => !isTest && !isInside(path) && !isDoor(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ specifier, isLater }) => isLater !== true && specifier.startsWith('.'))
        .filter(({ specifier }) => isInside(joinPath(folderOf(path), specifier)))
        .map(({ specifier, line }) => ({
          at: `${path}:${line}`,
          message: `loads ${specifier} with it: await import() it where the command is run`,
        })),
    );
}

function doorImports(imports: readonly Imported[]): ReadonlySet<string> {
  return new Set(imports.filter(({ inTest, inDoor }) => inDoor && !inTest).map(({ name }) => name));
}

function isDoor(path: string): boolean {
  return labDoors.some((door) => path.startsWith(door));
}

function isLab(folder: string): boolean {
  return labFolders.some((lab) => `${folder}/`.startsWith(lab));
}

/** Covers import(), which the linter ignores. */
function wrongOwners({ name }: Project, imports: readonly Imported[]): Finding[] {
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

/** A package's tsconfig.json refers to the dependencies of its sources; its tests are compiled by the root's. */
function wrongReferences({ folder, manifest }: Project, imports: readonly Imported[], workspace: Workspace): Finding[] {
  const own = `${folder}/tsconfig.json`;
  if (!workspace.tree.has(own)) return [];
  const { dependencies = {} } = manifest;
  const names = new Set([...Object.keys(dependencies), ...doorImports(imports)]);
  return compareReferences(workspace, own, referencesFor(workspace, names));
}

/** `tsc -b` at the root builds every project, then checks every test. */
function wrongRootReferences(workspace: Workspace): Finding[] {
  return compareReferences(
    workspace,
    'tsconfig.json',
    workspace.projects.map(({ folder }) => folder).filter((folder) => workspace.tree.has(`${folder}/tsconfig.json`)),
  );
}

function referencesFor({ projects }: Workspace, names: ReadonlySet<string>): string[] {
  return projects.filter(({ manifest }) => names.has(manifest.name)).map(({ folder }) => folder);
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
