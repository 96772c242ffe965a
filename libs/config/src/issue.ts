// What zod found, in a user's words: the setting, the value, what is allowed, and what was probably meant.
import type { z } from 'zod';
import { type Finding, shownValue } from './configuration-error.ts';
import { configurationSchema } from './schema.ts';

type Issue = z.core.$ZodIssue;

export function explainIssue(issue: Issue, root: unknown): Finding[] {
  const setting = settingName(issue.path);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      setting: settingName([...issue.path, key]),
      value: undefined,
      problem: `no such setting${didYouMean(key, knownKeys(issue.path))}`,
    }));
  if (issue.code === 'invalid_union') return explainUnion(issue, root);
  const value = valueAt(root, issue.path);
  if (value === undefined && issue.code === 'invalid_type')
    return [{ setting, value: undefined, problem: `is missing; expected ${issue.expected}` }];
  return [{ setting, value: shownValue(value), problem: lowerFirst(issue.message) }];
}

/** The branch that came closest says what is wrong. */
function explainUnion(issue: Extract<Issue, { code: 'invalid_union' }>, root: unknown): Finding[] {
  const value = valueAt(root, issue.path);
  const branches = issue.errors.filter(
    (branch) => !branch.some(({ code, path }) => code === 'invalid_type' && path.length === 0),
  );
  const closest = branches.sort((a, b) => a.length - b.length)[0];
  if (closest === undefined)
    return [{ setting: settingName(issue.path), value: shownValue(value), problem: 'not of any form allowed here' }];
  return closest.flatMap((inner) => explainIssue({ ...inner, path: [...issue.path, ...inner.path] }, root));
}

/** `pipelines[0].timeoutMs` */
export function settingName(path: readonly PropertyKey[]): string {
  const text = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  return text === '' ? 'configuration' : text.replace(/^\./, '');
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<PropertyKey, unknown>)[part];
  }
  return value;
}

/** Names allowed where `path` points, from the schema itself. */
function knownKeys(path: readonly PropertyKey[]): string[] {
  const { shape } = configurationSchema;
  const section = path.filter((part) => typeof part === 'string').join('.');
  if (section === '') return Object.keys(shape);
  if (section === 'pipelines') return Object.keys(shape.pipelines.element.shape);
  if (section === 'pipelines.output') return Object.keys(shape.pipelines.element.shape.output.shape);
  if (section === 'pipelines.input') return ['topic', 'format', 'timestampType'];
  if (section === 'kafka') return Object.keys(shape.kafka.unwrap().shape);
  if (section === 'http') return Object.keys(shape.http.unwrap().shape);
  return [];
}

/** Names at most two edits away are worth suggesting. */
function didYouMean(key: string, known: readonly string[]): string {
  const nearest = known
    .map((name) => ({ name, distance: editDistance(key.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return nearest !== undefined && nearest.distance <= 2 ? `; did you mean ${nearest.name}?` : '';
}

/** Levenshtein, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
