// Findings of zod, in a user's words: the setting, the value, what is allowed, and what was probably meant.
import { counted } from '@flatline/base';
import type { z } from 'zod';
import { type Finding, shownValue } from './configuration-error.ts';
import { DURATION_MAX_MS, kindlessForm, SECRETS_ARE } from '@flatline/kind-modules/form';
import { isKind } from './kind-defaults.ts';
import { kindsWith, numberAt, settingName } from './known-settings.ts';
import { meantBy } from './meant-setting.ts';
import { MISSING } from './schema.ts';

export type Issue = z.core.$ZodIssue;

/** Named in the specification, and not obeyed by this version. */
const notYet: ReadonlySet<string> = new Set(['merge']);

/** The same with what is wrong in pipelines of no kind, beside their kind: the form of none was asked. */
export function withKindless(issues: readonly Issue[], root: unknown): Issue[] {
  return issues.flatMap((issue) => [issue, ...(isKindless(issue) ? otherIssues(issue.path.slice(0, -1), root) : [])]);
}

/** True where a pipeline says no kind that there is. */
export function isKindless({ code, path }: Issue): boolean {
  return code === 'invalid_union' && path[0] === 'pipelines' && path.length === 3 && path.at(-1) === 'kind';
}

function otherIssues(path: readonly PropertyKey[], root: unknown): Issue[] {
  const { error } = kindlessForm.safeParse(valueAt(root, path));
  return (error?.issues ?? []).flatMap((issue) => {
    const there = { ...issue, path: [...path, ...issue.path] };
    if (there.code !== 'unrecognized_keys' || issue.path.length > 0) return [there];
    // It may be of the kind that is meant.
    const keys = there.keys.filter((key) => kindsWith(key).length === 0);
    return keys.length === 0 ? [] : [{ ...there, keys }];
  });
}

export function explainIssue(issue: Issue, root: unknown): Finding[] {
  const setting = settingName(issue.path);
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => explainUnknown(key, issue.path, root));
  if (issue.code === 'invalid_union') return explainUnion(issue, root);
  const value = valueAt(root, issue.path);
  const expected = value === undefined ? expectedBy(issue, root) : undefined;
  if (expected !== undefined) return [{ setting, value: undefined, problem: `${MISSING}; expected ${expected}` }];
  return [{ setting, value: shownValue(value), problem: numberProblem(issue.path, root) ?? allowedBy(issue) }];
}

/** Names what is expected in place of a missing setting. */
function expectedBy(issue: Issue, root: unknown): string | undefined {
  if (issue.code === 'invalid_type') return numberProblem(issue.path, root) ?? typeName(issue.expected);
  return issue.code === 'invalid_value' ? oneOf(issue.values) : undefined;
}

/** The words of the schema, where it has some of its own for this. */
function allowedBy(issue: Issue): string {
  if (!LIBRARY_WORDS.test(issue.message)) return lowerFirst(issue.message);
  if (issue.code === 'invalid_type') return `expected ${typeName(issue.expected)}`;
  if (issue.code === 'invalid_value') return `expected ${oneOf(issue.values)}`;
  if (issue.code === 'too_big') return `at most ${amount(Number(issue.maximum), issue.origin)}`;
  if (issue.code === 'too_small') return `at least ${amount(Number(issue.minimum), issue.origin)}`;
  return lowerFirst(issue.message);
}

/** Beginnings of the library's own messages. */
const LIBRARY_WORDS = /^(Invalid (input|option)|Too (big|small)): /;

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'text'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['boolean', 'true or false'],
  ['number', 'a number'],
  ['int', 'a whole number'],
]);

function typeName(expected: string): string {
  return TYPE_NAMES.get(expected) ?? expected;
}

function oneOf(values: readonly unknown[]): string {
  return `one of ${values.map((value) => JSON.stringify(value)).join('|')}`;
}

/** `origin`: of what the amount is, in the library's word. */
function amount(number: number, origin: string): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' ? 'element' : undefined;
  return unit === undefined ? String(number) : counted(number, unit);
}

function numberProblem(path: readonly PropertyKey[], root: unknown): string | undefined {
  const bounds = numberAt(path, root);
  if (bounds === undefined) return undefined;
  const { least, most, whole } = bounds;
  const isDuration = String(path.at(-1)).endsWith('Ms');
  // The longest there is is no bound worth naming, unless it is exceeded.
  const value = valueAt(root, path);
  const isUnbounded = most >= DURATION_MAX_MS && !(typeof value === 'number' && value > most);
  const range = isUnbounded ? `${least} or more` : `${least} to ${most}`;
  return `a ${whole ? 'whole ' : ''}number${isDuration ? ' of ms' : ''}, ${range}${isDuration ? ', or a length of time as "30m" or "10s"' : ''}`;
}

function explainUnknown(key: string, path: readonly PropertyKey[], root: unknown): Finding {
  const setting = settingName([...path, key]);
  const owners = isPipeline(path, root) ? kindsWith(key).map((kind) => `"${kind}"`) : [];
  if (owners.length > 0) {
    const problem = `is a setting of ${owners.join(' and ')} pipelines; leave it out`;
    return { setting, value: shownValue(valueAt(root, [...path, key])), problem };
  }
  const problem = notYet.has(key)
    ? 'is not available in this version; leave it out'
    : `no such setting${meantBy(key, path, root)}`;
  return { setting, value: undefined, problem };
}

/** True of a section of `pipelines`, and of nothing in it. */
function isPipeline(path: readonly PropertyKey[], root: unknown): boolean {
  return path[0] === 'pipelines' && path.length === 2 && isKind(valueAt(root, [...path, 'kind']));
}

/** Findings by the words of the union itself, else by the branch that came closest. */
function explainUnion(issue: Extract<Issue, { code: 'invalid_union' }>, root: unknown): Finding[] {
  const value = valueAt(root, issue.path);
  const setting = settingName(issue.path);
  // Zod's own words for a union; another text is one of the schema's.
  if (issue.message !== 'Invalid input') {
    const isSecret = issue.message.startsWith(SECRETS_ARE) && value !== undefined && !isReference(value);
    const shown = isSecret ? '(not shown)' : shownValue(value);
    return [{ setting, value: shown, problem: issue.message }];
  }
  const branches = issue.errors.filter(
    (branch) => !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  const closest = branches.sort((a, b) => a.length - b.length)[0];
  if (closest === undefined) {
    const expected = issue.errors
      .flat()
      .flatMap((each) => (each.code === 'invalid_type' ? [typeName(each.expected)] : []));
    const problem = value === undefined ? `${MISSING}; expected ${expected.join(' or ')}` : expected.join(' or ');
    return [{ setting, value: shownValue(value), problem }];
  }
  return closest.flatMap((inner) => explainIssue({ ...inner, path: [...issue.path, ...inner.path] }, root));
}

function isReference(value: unknown): boolean {
  return shownValue(value)?.startsWith('{') ?? false;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
