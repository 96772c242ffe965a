// Ids of invariants in the headers of modules: `//   CK1  Commits are flushed whole and in order.`
import { type Finding } from './finding.ts';
import { type Tree } from './workspace.ts';

const CODE = /\.(ts|mts|cts|js|mjs|cjs)$/;
const DEFINITION = /^\/\/ +(([A-Z]+)\d+) {2,}\S/;
const RULE = /^- \*\*([A-Z]+)\d/gm;

/** An invariant is cited by its id alone, so its prefix must lead to one file, and differ from all rules of docs/SPEC.md. */
export function invariantIds(tree: Tree): Finding[] {
  const invariants = [...tree]
    .filter(([path]) => CODE.test(path))
    .flatMap(([path, text]) => definedInvariants(path, text));
  const rulePrefixes = new Set([...(tree.get('docs/SPEC.md') ?? '').matchAll(RULE)].map(([, prefix = '']) => prefix));
  const owners = new Map<string, string>();
  for (const { prefix, path } of invariants) if (!owners.has(prefix)) owners.set(prefix, path);
  const defined = new Set<string>();
  return invariants.flatMap(({ id, prefix, path, line }) => {
    const at = `${path}:${line}`;
    if (prefix.length < 2 || rulePrefixes.has(prefix))
      return [
        {
          at,
          message: `${id} looks like a rule of the specification: take a prefix of two or three letters of its own`,
        },
      ];
    const owner = owners.get(prefix);
    if (owner !== undefined && owner !== path)
      return [{ at, message: `${id} has the prefix of ${owner}: take one of its own` }];
    if (defined.has(id)) return [{ at, message: `${id} is defined a second time: number it on` }];
    defined.add(id);
    return [];
  });
}

interface Invariant {
  readonly id: string;
  readonly prefix: string;
  readonly path: string;
  readonly line: number;
}

/** Invariants in a file's opening comment. */
export function definedInvariants(path: string, text: string): Invariant[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//') && !line.startsWith('#!'));
  return lines.slice(0, end === -1 ? lines.length : end).flatMap((line, index) => {
    const [, id, prefix] = DEFINITION.exec(line) ?? [];
    return id === undefined || prefix === undefined ? [] : [{ id, prefix, path, line: index + 1 }];
  });
}
