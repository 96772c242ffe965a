// A configuration with what was found wrong put out of the way, so that the rest can be checked in the same run (I4).
import { DURATION_MAX_MS, kindlessForm } from '@flatline/kind-modules/form';
import { isKindless, type Issue } from './issue.ts';
import { numberAt } from './known-settings.ts';
import { plainCopy } from './plain-copy.ts';
import { configurationSchema } from './schema.ts';

type Path = readonly PropertyKey[];

/** Upper bound on the sections around a setting. */
const DEPTH_MAX = 5;

/** Stand-ins for required settings that are missing or wrong. Names come from the path, so that none clash. */
const stands: Readonly<Record<string, (path: Path) => unknown>> = {
  application: nameOf,
  name: nameOf,
  topic: nameOf,
  brokers: () => ['mended:1'],
  input: (path) => ({ topic: nameOf([...path, 'topic']) }),
  output: (path) => ({ topic: nameOf([...path, 'topic']) }),
};

/**
 * Parses a copy of `root`. Whatever is found in it about the settings of `issues` means nothing. A section that lacks what only its
 * writer can say is left out.
 */
export function parsedWithout(
  root: unknown,
  issues: readonly Issue[],
): ReturnType<typeof configurationSchema.safeParse> {
  const copy = mended(root, issues);
  let parsed = configurationSchema.safeParse(copy);
  for (let round = 0; !parsed.success && round < DEPTH_MAX; round += 1) {
    for (const { path } of parsed.error.issues) removeSection(copy, path);
    parsed = configurationSchema.safeParse(copy);
  }
  return parsed;
}

/** A list of sections is left out as a whole. */
function removeSection(copy: unknown, path: Path): void {
  const names = path.slice(
    0,
    path.findLastIndex((part) => typeof part === 'string'),
  );
  const section = names.slice(0, names.findLastIndex((part) => typeof part === 'string') + 1);
  if (section.length > 0) remove(copy, section);
}

function mended(root: unknown, issues: readonly Issue[]): unknown {
  const copy = plainCopy(root);
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) remove(copy, [...issue.path, key]);
    else if (isKindless(issue)) makeSession(copy, issue.path.slice(0, -1));
    else mend(copy, issue.path, root);
  }
  return copy;
}

/** An element of a list stands for the list. */
function mend(copy: unknown, path: Path, root: unknown): void {
  const last = path.findLastIndex((part) => typeof part === 'string');
  const at = path.slice(0, last + 1);
  const [holder, key] = placeOf(copy, at);
  if (typeof key !== 'string' || holder === undefined) return;
  const number = numberAt(at, root);
  if (stands[key] !== undefined) Reflect.set(holder, key, stands[key](path));
  else if (number?.isRequired === true) Reflect.set(holder, key, number.least);
  else Reflect.deleteProperty(holder, key);
}

function remove(copy: unknown, path: Path): void {
  const [holder, key] = placeOf(copy, path);
  if (holder !== undefined && key !== undefined) Reflect.deleteProperty(holder, key);
}

/**
 * Makes a session of a pipeline of no kind, so that the settings that every kind has are compared with the rest. A session, since
 * its input may be anything; nothing is said of settings that only sessions have, as the kind is wrong.
 */
function makeSession(copy: unknown, path: Path): void {
  const [holder, key] = placeOf(copy, path);
  if (holder === undefined || key === undefined) return;
  const written = Object.entries(inner(holder, key) as object);
  const ofEvery = written.filter(([setting]) => Object.hasOwn(kindlessForm.shape, setting));
  Reflect.set(holder, key, { ...Object.fromEntries(ofEvery), kind: 'session', timeoutMs: DURATION_MAX_MS });
}

function placeOf(copy: unknown, path: Path): [holder: object | undefined, key: PropertyKey | undefined] {
  const holder = path.slice(0, -1).reduce<unknown>(inner, copy);
  return [typeof holder === 'object' && holder !== null ? holder : undefined, path.at(-1)];
}

function inner(value: unknown, part: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? (Reflect.get(value, part) as unknown) : undefined;
}

function nameOf(path: Path): string {
  return `mended-${path.join('-')}`;
}
