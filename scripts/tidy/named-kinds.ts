// Finds code that asks for a kind by its name. What a kind is asked stands in its own folders, as a member of a table that is total
// over the kinds: a kind added later is asked for it by the compiler, and no `else` or `default` answers in its place.
import ts from 'typescript';
import { type Finding } from './finding.ts';
import { kindNamesIn } from './kind-names.ts';
import { type Workspace } from './workspace.ts';

/** In each of them a kind has a folder of its own name, which is about no other. */
const HOMES: readonly string[] = [
  'libs/core/kinds/src/',
  'libs/core/oracle/src/rules/',
  'libs/core/partition/src/kinds/',
  'libs/shell/kind-modules/src/',
  'libs/lab/kinds/src/',
];

/** A place that may ask for a kind. */
export interface NamedKind {
  readonly path: string;
  readonly kind: string;
  readonly reason: string;
}

const ALLOWED: readonly NamedKind[] = [
  {
    path: 'apps/lab/chaos/src/scenarios/false-stamps.ts',
    kind: 'session',
    reason:
      'F15 runs devices that have sessions, and folds their input by the rules of sessions: the question narrows a type',
  },
];

const REMEDY =
  'let KindModule (libs/shell/kind-modules) or KindLab (libs/lab/kinds) have a member that answers for every kind';
const EQUALITIES = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
]);

/** Tests may say which kind they are about. */
export function namedKinds({ tree, projects }: Workspace, allowed: readonly NamedKind[] = ALLOWED): Finding[] {
  const kinds = kindNamesIn(tree);
  const asked = projects
    .flatMap(({ modules }) => modules)
    .filter(({ isTest }) => !isTest)
    .flatMap(({ path }) => askedIn(path, tree.get(path)!, kinds).map((each) => ({ path, ...each })))
    .filter(({ path, kind }) => !isAtHome(path, kind));
  const isOf = (place: NamedKind, { path, kind }: Pick<NamedKind, 'path' | 'kind'>): boolean =>
    place.path === path && place.kind === kind;
  const found = asked.filter((each) => !allowed.some((place) => isOf(place, each)));
  const idle = allowed.filter((place) => !asked.some((each) => isOf(place, each)));
  return [
    ...found.map(({ path, kind, line }) => ({
      at: `${path}:${line}`,
      message: `asks for the kind "${kind}" by its name: ${REMEDY}`,
    })),
    ...idle.map(({ path, kind }) => ({
      at: path,
      message: `may ask for the kind "${kind}", and does not: take it off the list of scripts/tidy/named-kinds.ts`,
    })),
  ];
}

function isAtHome(path: string, kind: string): boolean {
  return HOMES.some((home) => path.startsWith(`${home}${kind}/`));
}

interface Asked {
  readonly kind: string;
  readonly line: number;
}

function askedIn(path: string, text: string, kinds: readonly string[]): Asked[] {
  if (!kinds.some((kind) => new RegExp(`['"\`]${kind}['"\`]`).test(text))) return [];
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const asked: Asked[] = [];
  const visit = (node: ts.Node): void => {
    const names = namesAskedBy(node).filter((name) => kinds.includes(name));
    const line = file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
    asked.push(...names.map((kind) => ({ kind, line })));
    ts.forEachChild(node, visit);
  };
  visit(file);
  return asked;
}

/** The texts with which a node compares something called a kind. */
function namesAskedBy(node: ts.Node): string[] {
  if (ts.isBinaryExpression(node) && EQUALITIES.has(node.operatorToken.kind))
    return isKind(node.left) ? textsOf(node.right) : isKind(node.right) ? textsOf(node.left) : [];
  if (ts.isCaseClause(node)) return isKind(node.parent.parent.expression) ? textsOf(node.expression) : [];
  // `['lease', 'session'].includes(kind)`, `new Set(['lease']).has(kind)`
  if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression) && node.arguments.some(isKind))
    return textsIn(node.expression.expression);
  return [];
}

/** The texts of a list, or of a set that is made of one. */
function textsIn(node: ts.Expression): string[] {
  const list = bare(node);
  if (ts.isNewExpression(list)) return list.arguments?.flatMap(textsIn) ?? [];
  return ts.isArrayLiteralExpression(list) ? list.elements.flatMap(textsOf) : [];
}

/** True of `kind`, `pipeline.kind`, `ownKind`: what is called something else holds other things of these names. */
function isKind(node: ts.Expression): boolean {
  const asked = bare(node);
  const name = ts.isPropertyAccessExpression(asked)
    ? asked.name
    : ts.isElementAccessExpression(asked)
      ? asked.argumentExpression
      : asked;
  return (ts.isIdentifier(name) || ts.isStringLiteralLike(name)) && /^kind$|Kind$/.test(name.text);
}

function textsOf(node: ts.Expression): string[] {
  const text = bare(node);
  return ts.isStringLiteralLike(text) ? [text.text] : [];
}

/** Without brackets, and without what only the compiler reads. */
function bare(node: ts.Expression): ts.Expression {
  const isAround =
    ts.isParenthesizedExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node);
  return isAround ? bare(node.expression) : node;
}
