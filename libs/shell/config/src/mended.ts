// A configuration with what was found wrong put out of the way, so that the rest can be checked in the same run (I4).
import type { Issue } from './issue.ts';
import { plainCopy } from './plain-copy.ts';

type Path = readonly PropertyKey[];

/** Stand-ins for required settings that are missing or wrong. Names come from the path, so that none clash. */
const stands: Readonly<Record<string, (path: Path) => unknown>> = {
  application: nameOf,
  name: nameOf,
  topic: nameOf,
  brokers: () => ['mended:1'],
  kind: () => 'session',
  timeoutMs: () => 1,
  input: (path) => ({ topic: nameOf([...path, 'topic']) }),
  output: (path) => ({ topic: nameOf([...path, 'topic']) }),
};

/** A copy of `root`. Whatever is found in it about the settings of `issues` means nothing. */
export function mended(root: unknown, issues: readonly Issue[]): unknown {
  const copy = plainCopy(root);
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') for (const key of issue.keys) mend(copy, [...issue.path, key]);
    else mend(copy, issue.path);
  }
  return copy;
}

/** An element of a list stands for the list. */
function mend(root: unknown, path: Path): void {
  const last = path.findLastIndex((part) => typeof part === 'string');
  const key = path[last];
  const holder = path.slice(0, Math.max(last, 0)).reduce<unknown>(inner, root);
  if (typeof key !== 'string' || typeof holder !== 'object' || holder === null) return;
  const stand = stands[key];
  if (stand === undefined) Reflect.deleteProperty(holder, key);
  else Reflect.set(holder, key, stand(path));
}

function inner(value: unknown, part: PropertyKey): unknown {
  return typeof value === 'object' && value !== null ? (Reflect.get(value, part) as unknown) : undefined;
}

function nameOf(path: Path): string {
  return `mended-${path.join('-')}`;
}
