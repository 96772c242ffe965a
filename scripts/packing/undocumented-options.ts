// Finds users' options that the page of an API does not explain: an option without its default, a number without its unit.
import ts from 'typescript';

/** Types that users write. */
const OPTIONS = /(Options|Limits|Retries|Wish|SessionEvent|ConfigurationInput)$/;
const NUMBER = /^(?!.*Map<).*\b(number|Duration|DurationMs|Millis)\b/s;
const DEFAULT = /\b(default|required)\b/i;
/** A word of this list; or, as rows of docs/CONFIGURATION.md have it, any behind a bound: `1 … 16 waiters`. */
const UNIT =
  /(?:≥|…) \d+ [a-z]|\bmilliseconds\b|\bms\b|\b(attempts|bytes|code units|records|attributes|copies|entries|ids|items|partitions|retries|runs|schedules|sockets|sources|starts|times|per second)\b/i;
/** Numbers that are names, and count nothing. */
const UNCOUNTED = /\b(port|partition|schemas|sequence|tokenEpoch|changelogFormat|version)$/;

/** `Type.option: unit`, for each declaration that lacks the named part. */
export function undocumentedOptions(declarations: string): string[] {
  const file = ts.createSourceFile('api.d.ts', declarations, ts.ScriptTarget.Latest, true);
  return file.statements.flatMap((statement) => {
    if (ts.isTypeAliasDeclaration(statement) || ts.isInterfaceDeclaration(statement)) return ofType(statement);
    return ts.isFunctionDeclaration(statement) ? ofParameters(statement, '') : [];
  });
}

function ofType(statement: ts.TypeAliasDeclaration | ts.InterfaceDeclaration): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node, path: string): void => {
    // Members under a name of the user's own are explained by the setting that has it.
    if (ts.isIndexSignatureDeclaration(node)) return;
    const at = ts.isPropertySignature(node) ? `${path}.${node.name.getText()}` : path;
    if (ts.isPropertySignature(node) && OPTIONS.test(statement.name.text)) found.push(...ofOption(node, at));
    if (ts.isMethodSignature(node)) found.push(...ofParameters(node, `${path}.`, docOf(statement)));
    node.forEachChild((child) => {
      visit(child, at);
    });
  };
  visit(statement, statement.name.text);
  return found;
}

/** A section explains itself by its settings; `$schema` is for editors. */
function ofOption(option: ts.PropertySignature, path: string): string[] {
  const type = option.type?.getText() ?? '';
  if (type.includes('{') || path.includes('$')) return [];
  return lacking(path, docOf(option), { optional: option.questionToken !== undefined, type });
}

function ofParameters(called: ts.MethodSignature | ts.FunctionDeclaration, prefix: string, around = ''): string[] {
  return called.parameters.flatMap((parameter) => {
    const type = parameter.type?.getText() ?? '';
    if (parameter.questionToken === undefined || !NUMBER.test(type)) return [];
    const path = `${prefix}${called.name?.getText() ?? ''}(${parameter.name.getText()})`;
    return lacking(path, `${docOf(called)}${around}`, { optional: true, type });
  });
}

function lacking(path: string, doc: string, { optional, type }: { readonly optional: boolean; readonly type: string }) {
  const lacks: string[] = [];
  if (optional && !DEFAULT.test(doc)) lacks.push(`${path}: default`);
  if (NUMBER.test(type) && !UNIT.test(doc) && !UNCOUNTED.test(path)) lacks.push(`${path}: unit`);
  return lacks;
}

function docOf(node: ts.Node): string {
  const text = node.getSourceFile().text;
  const comment = ts.getLeadingCommentRanges(text, node.getFullStart())?.at(-1);
  return comment === undefined ? '' : text.slice(comment.pos, comment.end);
}
