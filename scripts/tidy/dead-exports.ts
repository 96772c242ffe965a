// Exports without an import.
//
// An export of a package's entry point must be imported by another package, be it by its tests; any other export by
// another file that is no test. A type may stay if an export that stays names it, and in an entry point a class too: a
// caller of a function must be able to write its argument's type.
import { type Finding } from './finding.ts';
import { type Export, type SourceModule } from './source-module.ts';
import { entriesOf, resolveModule, SCOPE, type Project, type Workspace } from './workspace.ts';

/** The kinds of importers of an export. */
interface Uses {
  own: boolean;
  ownTests: boolean;
  others: boolean;
}

/** Address of an export: `path#name`. */
type Address = string;

interface Graph {
  readonly workspace: Workspace;
  readonly modules: ReadonlyMap<string, SourceModule>;
  readonly uses: ReadonlyMap<Address, Uses>;
}

/** The mutants of a kind, loaded by their file's name (libs/lab/kinds/src/mutants.ts). */
const LOADED_BY_NAME = /^libs\/lab\/kinds\/src\/([^/]+)\/\1-mutants\.ts$/;

export function deadExports(workspace: Workspace): Finding[] {
  const modules = new Map(workspace.projects.flatMap((project) => project.modules.map((each) => [each.path, each])));
  const graph: Graph = { workspace, modules, uses: usesOf(workspace, modules) };
  return workspace.projects.flatMap((project) => deadIn(project, graph));
}

function deadIn(project: Project, graph: Graph): Finding[] {
  const entries = new Set(entriesOf(project).values());
  const modules = project.modules.filter(({ path }) => !LOADED_BY_NAME.test(path));
  return modules.flatMap((module) =>
    entries.has(module.path)
      ? deadOfEntry(module, graph)
      : [...deadOfModule(module, graph), ...(FOLDERS_INDEX.test(module.path) ? passedOnInVain(module, graph) : [])],
  );
}

/** Names that a folder's index passes on to the rest of its package, which imports none of them. */
function passedOnInVain(module: SourceModule, graph: Graph): Finding[] {
  return passedOn(module, graph)
    .filter(({ name }) => !graph.uses.has(`${module.path}#${name}`))
    .map((each) => dead(module, each, `nothing imports ${each.name} from here: pass it on no more`));
}

function deadOfModule(module: SourceModule, { uses }: Graph): Finding[] {
  const isLive = ({ name, usedInFile }: Export): boolean => {
    const { own, ownTests, others } = uses.get(`${module.path}#${name}`) ?? unused;
    return own || others || (ownTests && (usedInFile || module.isTest));
  };
  const live = module.exports.filter(isLive);
  return module.exports
    .filter((each) => !isLive(each) && !isNamedBy(each, module.exports))
    .map((each) => {
      const tested = uses.get(`${module.path}#${each.name}`)?.ownTests === true;
      return dead(module, each, remedyOf(each, tested, live));
    });
}

function remedyOf({ name, usedInFile }: Export, tested: boolean, live: readonly Export[]): string {
  if (tested) return `only tests use ${name}: delete it with them, or move it to a *.fixture.ts`;
  if (usedInFile) return `nothing imports ${name}: drop its \`export\``;
  return `nothing uses ${name}: delete it${live.length === 0 ? ', and the file with it' : ''}`;
}

/** True if an exported declaration of the same file names the type. */
function isNamedBy({ name, kind }: Export, exports: readonly Export[]): boolean {
  return kind === 'type' && exports.some((other) => other.name !== name && other.mentions.has(name));
}

/** Dead ones among the names that a package exports, declared in its entry point or passed on by it. */
function deadOfEntry(entry: SourceModule, graph: Graph): Finding[] {
  const shown = [...passedOn(entry, graph), ...entry.exports];
  const live = shown.filter(({ name }) => graph.uses.get(`${entry.path}#${name}`)?.others === true);
  for (let size = 0; size < live.length;) {
    const from = live.slice(size);
    size = live.length;
    live.push(...shown.filter((each) => each.kind !== 'value' && !live.includes(each) && namedBySome(each, from)));
  }
  return shown
    .filter((each) => !live.includes(each))
    .map((each) =>
      dead(entry, each, `no other package imports ${each.name}: take it out of the package's entry point`),
    );
}

function namedBySome({ name }: Export, others: readonly Export[]): boolean {
  return others.some((other) => other.mentions.has(name));
}

/** The exports of a module's `export … from`, with the facts of the declaration behind each. */
function passedOn(entry: SourceModule, { workspace, modules }: Graph): Export[] {
  return entry.imports.flatMap(({ specifier, names, reexportedAs, line }) => {
    if (names === 'all' || reexportedAs === undefined) return [];
    const behind = modules.get(resolveModule(workspace, entry.path, specifier) ?? '');
    return names.map((name, index) => {
      const declared = behind?.exports.find((each) => each.name === name);
      const shownAs = reexportedAs[index] ?? name;
      return {
        name: shownAs,
        line,
        kind: declared?.kind ?? 'value',
        usedInFile: false,
        mentions: declared?.mentions ?? new Set<string>(),
      };
    });
  });
}

/** Below `src`, since an index directly in it may be published. */
const FOLDERS_INDEX = /\/src\/.+\/index\.ts$/;
const unused: Uses = { own: false, ownTests: false, others: false };

function usesOf(workspace: Workspace, modules: ReadonlyMap<string, SourceModule>): Map<Address, Uses> {
  const uses = new Map<Address, Uses>();
  for (const project of workspace.projects)
    for (const importer of project.modules)
      for (const { specifier, names } of importer.imports) {
        const path = resolveModule(workspace, importer.path, specifier);
        if (path === undefined) continue;
        const all = names === 'all' ? namesOf(modules.get(path)) : names;
        const own = specifier.startsWith('.') || specifier.startsWith(`${SCOPE}${project.name}/`);
        for (const name of all) note(uses, `${path}#${name}`, own, importer.isTest);
      }
  return uses;
}

function namesOf(module: SourceModule | undefined): readonly string[] {
  if (module === undefined) return [];
  return [
    ...module.exports.map(({ name }) => name),
    ...module.imports.flatMap(({ reexportedAs = [] }) => reexportedAs),
  ];
}

function note(uses: Map<Address, Uses>, address: Address, own: boolean, inTest: boolean): void {
  const known = uses.get(address) ?? { ...unused };
  if (!own) known.others = true;
  else if (inTest) known.ownTests = true;
  else known.own = true;
  uses.set(address, known);
}

function dead({ path }: SourceModule, { line }: Export, message: string): Finding {
  return { at: `${path}:${line}`, message };
}
