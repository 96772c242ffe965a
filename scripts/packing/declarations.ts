// The public types of a package in one file: the exports of its entry point, and every declaration that these name, taken from
// the compiler's output for each project. Nothing in it names a package of the workspace.
//
// Owns: the choice of declarations.
// Does not own: their text (the compiler).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { Entry, Published } from './published.ts';
import { withSettingComments } from './setting-comments.ts';

/** Inferred from a schema of zod, which users do not have: written out in full, with the comments of the page of settings. */
const WRITTEN_OUT: ReadonlySet<string> = new Set(['ConfigurationInput']);

/** The compiler writes it out although it has a name. */
const DURATION = / number \| `\$\{number\}ms`(?: \| `\$\{number\}[smhd]`)+/g;
const DURATION_TYPE = `/** Milliseconds, or a length of time as people write it: "250ms", "10s", "30m", "12h", "7d". */
type Duration = number | \`\${number}\${'ms' | 's' | 'm' | 'h' | 'd'}\`;`;

const OPTIONS: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

const EXPANDED: ts.TypeFormatFlags =
  ts.TypeFormatFlags.NoTruncation |
  ts.TypeFormatFlags.InTypeAlias |
  ts.TypeFormatFlags.MultilineObjectLiterals |
  ts.TypeFormatFlags.UseSingleQuotesForStringLiteralType;

interface Found {
  readonly checker: ts.TypeChecker;
  readonly root: string;
  /** By name, in the order of their discovery. */
  readonly declarations: Map<string, ts.Declaration>;
  /** Names by the module that has them: of Node, or the package's main entry. */
  readonly external: Map<string, Set<string>>;
  /** Exports of the main entry, by name: imported where a further entry names them. */
  readonly main: ReadonlyMap<string, ts.Declaration>;
}

const MAIN = './index.js';

/**
 * The declarations of the package, or of one of its further entries.
 * @throws Error if an export cannot be shown: another package's type, or two declarations of one name.
 */
export function declarationsOf(
  root: string,
  published: Published,
  { name, entry }: Pick<Entry, 'name' | 'entry'>,
): string {
  const path = writtenFor(root, published, entry);
  const mainPath = writtenFor(root, published, published.entry);
  const program = ts.createProgram([path, mainPath], OPTIONS);
  const checker = program.getTypeChecker();
  const shown = shownBy(program, path);
  const main = new Map(
    path === mainPath ? [] : shownBy(program, mainPath).map((symbol) => [symbol.name, symbol.declarations![0]!]),
  );
  const found: Found = { checker, root, declarations: new Map(), external: new Map(), main };
  for (const symbol of shown) collect(symbol, found);
  const names = new Set(shown.map((symbol) => symbol.name));
  const texts = [...found.declarations].map(([each, declaration]) => textOf(declaration, names.has(each), found));
  const imports = [...found.external].map(
    ([from, types]) => `import type { ${[...types].join(', ')} } from '${from}';\n`,
  );
  return `// Types of ${name}, for its users.\n${imports.join('')}\n${[...texts, ...(texts.some((text) => text.includes('| Duration')) ? [DURATION_TYPE] : [])].join('\n\n')}\n\nexport {};\n`;
}

/** The compiler's output for a source. */
function writtenFor(root: string, { folder }: Published, entry: string): string {
  return join(root, folder, entry.replace(/^src/, 'dist').replace(/\.ts$/, '.d.ts'));
}

function shownBy(program: ts.Program, path: string): ts.Symbol[] {
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${path} does not exist or exports nothing: run tsc -b`);
  return checker.getExportsOfModule(module).map((each) => aliased(checker, each));
}

function collect(symbol: ts.Symbol, found: Found): void {
  const [declaration, ...others] = symbol.declarations ?? [];
  if (declaration === undefined || others.length > 0)
    throw new Error(`${symbol.name} has ${others.length + 1} declarations: it cannot be shown`);
  if (found.main.get(symbol.name) === declaration) {
    found.external.set(MAIN, (found.external.get(MAIN) ?? new Set()).add(symbol.name));
    return;
  }
  const known = found.declarations.get(symbol.name);
  if (known === declaration) return;
  if (known !== undefined) throw new Error(`two declarations are called ${symbol.name}: rename one`);
  found.declarations.set(symbol.name, declaration);
  if (WRITTEN_OUT.has(symbol.name)) return;
  visitNames(declaration, found);
}

/** Follows every identifier that refers to a declaration at the top of a module. */
function visitNames(node: ts.Node, found: Found): void {
  if (ts.isIdentifier(node)) follow(node, found);
  node.forEachChild((child) => {
    visitNames(child, found);
  });
}

function follow(name: ts.Identifier, found: Found): void {
  const { checker, root } = found;
  const symbol = checker.getSymbolAtLocation(name);
  if (symbol === undefined) return;
  const target = aliased(checker, symbol);
  const declaration = target.declarations?.[0];
  if (declaration === undefined || !isTopLevel(declaration)) return;
  const { fileName } = declaration.getSourceFile();
  if (fileName.startsWith(root) && !fileName.includes('/node_modules/')) collect(target, found);
  else if (symbol !== target) importFrom(symbol, name.text, found);
}

/** A name that came by an import: of Node's own modules only, since users have the types of those. */
function importFrom(symbol: ts.Symbol, name: string, { external }: Found): void {
  const specifier = symbol.declarations?.[0];
  const statement = specifier && ts.findAncestor(specifier, ts.isImportDeclaration);
  const from = statement && ts.isStringLiteral(statement.moduleSpecifier) ? statement.moduleSpecifier.text : '';
  if (!from.startsWith('node:')) throw new Error(`${name} of ${from} is shown: users do not have that package`);
  const names = external.get(from) ?? new Set();
  external.set(from, names.add(name));
}

function isTopLevel(declaration: ts.Declaration): boolean {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  return ts.isSourceFile(statement.parent) || ts.isModuleBlock(statement.parent);
}

function aliased(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol);
}

function textOf(declaration: ts.Declaration, isShown: boolean, found: Found): string {
  const statement = ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration;
  const source = statement.getFullText();
  const comment = ts.getLeadingCommentRanges(source, 0)?.at(-1);
  const doc =
    comment !== undefined && source.startsWith('/**', comment.pos) ? `${source.slice(comment.pos, comment.end)}\n` : '';
  const bare = bodyOf(declaration, statement, found).replace(/^(export )?(declare )?/, '');
  const declare = /^(type|interface) /.test(bare) ? '' : 'declare ';
  return `${doc}${isShown ? 'export ' : ''}${declare}${bare}`;
}

function bodyOf(declaration: ts.Declaration, statement: ts.Node, { checker, root }: Found): string {
  if (!ts.isTypeAliasDeclaration(declaration) || !WRITTEN_OUT.has(declaration.name.text)) return statement.getText();
  const type = checker.getTypeAtLocation(declaration);
  const body = checker.typeToString(type, undefined, EXPANDED).replaceAll(DURATION, ' number | Duration');
  const page = readFileSync(join(root, 'docs/CONFIGURATION.md'), 'utf8');
  return withSettingComments(`type ${declaration.name.text} = ${body};`, page);
}
