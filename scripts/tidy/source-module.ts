// Facts about a source file that tidy needs: its imports, exports and test titles, read from its syntax alone.
import ts from 'typescript';

/** One import, re-export or entry by URL. */
export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** Names as the imported module knows them; `all` for a namespace, a star or a dynamic import. */
  readonly names: readonly string[] | 'all';
  /** Not loaded with the module: `import()`, or types alone. */
  readonly isLater?: boolean;
  /** For `export … from`: the names under which they are exported, in the order of `names`. */
  readonly reexportedAs?: readonly string[];
}

/** One exported declaration of the module itself. */
export interface Export {
  readonly name: string;
  readonly line: number;
  readonly kind: 'type' | 'class' | 'value';
  /** Its file uses it outside its own declaration. */
  readonly usedInFile: boolean;
  /** Identifiers its declaration names. */
  readonly mentions: ReadonlySet<string>;
}

/** The title of a test or of a group of tests; a template's holes are left out. */
export interface Title {
  readonly text: string;
  readonly line: number;
}

/** A call that keeps tests from running, such as `test.skip`. */
export interface HeldBack {
  readonly call: string;
  readonly line: number;
}

export interface SourceModule {
  readonly path: string;
  /** True if it serves tests only: a test, a fixture, Jest's configuration. */
  readonly isTest: boolean;
  readonly imports: readonly Import[];
  readonly exports: readonly Export[];
  readonly titles: readonly Title[];
  /** Texts that begin with the id of a rule, like rows of `test.each`, wherever the table is. */
  readonly labels: readonly Title[];
  readonly heldBack: readonly HeldBack[];
}

const LABEL = /^\[(?:[A-Z]{1,2}\d|kafkajs \d)/;
const TEST_FILE = /\.(test|fixture)\.ts$|\/testing\/|(^|\/)jest[./]/;
const runners = new Set(['test', 'it', 'describe']);
const holding = new Set(['only', 'skip', 'todo', 'failing']);
const heldBackRunners = new Set(['xit', 'xtest', 'xdescribe', 'fit', 'ftest', 'fdescribe']);

/** Parses one TypeScript or JavaScript file. */
export function parseModule(path: string, text: string): SourceModule {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const found: Found = { file, imports: [], titles: [], labels: [], heldBack: [], uses: new Map() };
  visit(file, found);
  return {
    path,
    isTest: TEST_FILE.test(path),
    imports: [...file.statements.flatMap((statement) => importsOf(statement, file)), ...found.imports],
    exports: file.statements.flatMap((statement) => exportsOf(statement, found)),
    titles: found.titles,
    labels: found.labels,
    heldBack: found.heldBack,
  };
}

interface Found {
  readonly file: ts.SourceFile;
  readonly imports: Import[];
  readonly titles: Title[];
  readonly labels: Title[];
  readonly heldBack: HeldBack[];
  /** Number of occurrences of each identifier. */
  readonly uses: Map<string, number>;
}

function visit(node: ts.Node, found: Found): void {
  if (ts.isIdentifier(node)) found.uses.set(node.text, (found.uses.get(node.text) ?? 0) + 1);
  else if (ts.isCallExpression(node)) visitCall(node, found);
  else if (ts.isNewExpression(node)) visitUrl(node, found);
  else if (ts.isImportTypeNode(node)) visitImportType(node, found);
  else if (ts.isStringLiteral(node)) visitString(node, found);
  else if (ts.isPropertyAccessExpression(node)) visitAccess(node, found);
  if ((ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) && LABEL.test(node.text))
    found.labels.push({ text: node.text, line: lineOf(node, found.file) });
  ts.forEachChild(node, (child) => {
    visit(child, found);
  });
}

function visitCall(call: ts.CallExpression, found: Found): void {
  const [first] = call.arguments;
  if (first === undefined) return;
  if (call.expression.kind === ts.SyntaxKind.ImportKeyword && ts.isStringLiteralLike(first))
    found.imports.push({ specifier: first.text, line: lineOf(call, found.file), names: 'all', isLater: true });
  const runner = rootOf(call.expression);
  if (runner === undefined) return;
  if (heldBackRunners.has(runner)) found.heldBack.push({ call: runner, line: lineOf(call, found.file) });
  const text = titleOf(first);
  if (runners.has(runner) && text !== undefined) found.titles.push({ text, line: lineOf(first, found.file) });
}

/** `new URL('./worker.ts', import.meta.url)`: uses the file, but none of its exports. */
function visitUrl(node: ts.NewExpression, found: Found): void {
  const [first] = node.arguments ?? [];
  if (!ts.isIdentifier(node.expression) || node.expression.text !== 'URL' || first === undefined) return;
  if (ts.isStringLiteralLike(first) && first.text.startsWith('.'))
    found.imports.push({ specifier: first.text, line: lineOf(node, found.file), names: [] });
}

function visitImportType({ argument, qualifier }: ts.ImportTypeNode, found: Found): void {
  if (!ts.isLiteralTypeNode(argument) || !ts.isStringLiteralLike(argument.literal)) return;
  const names = qualifier !== undefined && ts.isIdentifier(qualifier) ? [qualifier.text] : 'all';
  found.imports.push({ specifier: argument.literal.text, line: lineOf(argument, found.file), names });
}

function visitAccess(node: ts.PropertyAccessExpression, found: Found): void {
  const runner = rootOf(node.expression);
  if (runner === undefined || !runners.has(runner) || !holding.has(node.name.text)) return;
  found.heldBack.push({ call: `${runner}.${node.name.text}`, line: lineOf(node, found.file) });
}

/** Jest's configuration names modules in strings: `globalSetup: '@scope/name/setup'`. */
function visitString(node: ts.StringLiteral, found: Found): void {
  if (!/(^|\/)jest\.config\./.test(found.file.fileName) || !node.text.startsWith('@')) return;
  found.imports.push({ specifier: node.text, line: lineOf(node, found.file), names: [] });
}

/** The `test` of `test.each(table)('title', …)`. */
function rootOf(expression: ts.Expression): string | undefined {
  let node = expression;
  while (!ts.isIdentifier(node)) {
    if (ts.isPropertyAccessExpression(node) || ts.isCallExpression(node)) node = node.expression;
    else if (ts.isTaggedTemplateExpression(node)) node = node.tag;
    else return undefined;
  }
  return node.text;
}

function titleOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  return node.head.text + node.templateSpans.map((span) => span.literal.text).join('');
}

function importsOf(statement: ts.Statement, file: ts.SourceFile): Import[] {
  const from = ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement) ? statement : undefined;
  if (from?.moduleSpecifier === undefined || !ts.isStringLiteral(from.moduleSpecifier)) return [];
  const isLater = ts.isImportDeclaration(from) && from.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
  const at = { specifier: from.moduleSpecifier.text, line: lineOf(from, file), ...(isLater && { isLater }) };
  if (ts.isImportDeclaration(from)) return [{ ...at, names: importedNames(from.importClause) }];
  const clause = from.exportClause;
  if (clause === undefined || ts.isNamespaceExport(clause)) return [{ ...at, names: 'all' }];
  return [
    {
      ...at,
      names: clause.elements.map(({ name, propertyName }) => (propertyName ?? name).text),
      reexportedAs: clause.elements.map(({ name }) => name.text),
    },
  ];
}

function importedNames(clause: ts.ImportClause | undefined): readonly string[] | 'all' {
  if (clause === undefined) return [];
  const first = clause.name === undefined ? [] : ['default'];
  const bindings = clause.namedBindings;
  if (bindings === undefined) return first;
  if (ts.isNamespaceImport(bindings)) return 'all';
  return [...first, ...bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)];
}

function exportsOf(statement: ts.Statement, found: Found): Export[] {
  if (!ts.canHaveModifiers(statement)) return [];
  const modifiers = ts.getModifiers(statement) ?? [];
  if (!modifiers.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
  if (modifiers.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword)) return [];
  const mentioned = identifiersIn(statement);
  return declaredNames(statement).map((name) => ({
    name,
    kind: kindOf(statement),
    line: lineOf(statement, found.file),
    usedInFile: (found.uses.get(name) ?? 0) > (mentioned.get(name) ?? 0),
    mentions: new Set(mentioned.keys()),
  }));
}

function kindOf(statement: ts.Statement): Export['kind'] {
  if (ts.isClassDeclaration(statement)) return 'class';
  return ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) ? 'type' : 'value';
}

function declaredNames(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.flatMap(({ name }) => (ts.isIdentifier(name) ? [name.text] : []));
  const declares =
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return declares && statement.name !== undefined ? [statement.name.text] : [];
}

function identifiersIn(node: ts.Node): Map<string, number> {
  const counts = new Map<string, number>();
  const walk = (each: ts.Node): void => {
    if (ts.isIdentifier(each)) counts.set(each.text, (counts.get(each.text) ?? 0) + 1);
    ts.forEachChild(each, walk);
  };
  walk(node);
  return counts;
}

function lineOf(node: ts.Node, file: ts.SourceFile): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}
