// How an invariant is checked at run time, as the header that states it says:
//
//   Checked
//     inspect    CK1
//     assertion  CK3
//     not        CK2: what was said before is not kept; the oracle reads it.
import { type Finding } from './finding.ts';
import { definedInvariants } from './invariant-ids.ts';
import { type Tree } from './workspace.ts';

/** Packages whose invariants are checked at run time. */
const RUN_IN = ['libs/core/partition/src/', 'libs/core/timing-wheel/src/'];
const NO_SOURCE = /\.(test|fixture)\.ts$/;
const BEGIN = /^\/\/ Checked$/;
/** The ids that a line names first, behind the way in which they are checked or below it. */
const LINE = /^\/\/ +(?:(inspect|assertion|not) +)?([A-Z]{2,3}\d+(?:, [A-Z]{2,3}\d+)*)(.*)$/;
const ID = /[A-Z]{2,3}\d+/g;

type Way = 'inspect' | 'assertion' | 'not';

interface Check {
  readonly id: string;
  readonly way: Way;
  readonly at: string;
  /** Text behind the ids. */
  readonly rest: string;
}

/** Each numbered invariant is checked by an `inspect` or an assertion, or its header says why it cannot be. */
export function checkedInvariants(tree: Tree): Finding[] {
  return RUN_IN.flatMap((under) => {
    const sources = [...tree].filter(([path]) => path.startsWith(under) && !NO_SOURCE.test(path));
    const code = sources.map(([, text]) => withoutHeader(text)).join('\n');
    return sources.flatMap(([path, text]) => {
      const checks = checksOf(path, text);
      const defined = definedInvariants(path, text);
      const unchecked = defined
        .filter(({ id }) => !checks.some((check) => check.id === id))
        .map(({ id, line }) => ({
          at: `${path}:${line}`,
          message: `${id} is run nowhere: say under Checked how, or why not`,
        }));
      const own = new Set(defined.map(({ id }) => id));
      return [...unchecked, ...checks.flatMap((check) => wrongWith(check, own, code))];
    });
  });
}

function wrongWith({ id, way, at, rest }: Check, own: ReadonlySet<string>, code: string): Finding[] {
  const message = !own.has(id)
    ? `${id} is stated elsewhere: say there how it is checked`
    : way === 'inspect' && !new RegExp(`['"\`]${id}: `).test(code)
      ? `no inspect names ${id} in what it says: '${id}: …'`
      : way === 'assertion' && !new RegExp(`\\b${id}\\b`).test(code)
        ? `no assertion names ${id}, in its message or in a comment`
        : way === 'not' && !/^: \S/.test(rest)
          ? `why ${id} cannot be checked is not said`
          : undefined;
  return message === undefined ? [] : [{ at, message }];
}

function checksOf(path: string, text: string): Check[] {
  const header = headerOf(text);
  const checks: Check[] = [];
  const begin = header.findIndex((line) => BEGIN.test(line));
  let way: Way | undefined;
  for (let at = begin + 1; begin >= 0 && at < header.length; at += 1) {
    const [, said, ids = '', rest = ''] = LINE.exec(header[at]!) ?? [];
    way = (said as Way | undefined) ?? way;
    // A second line of a way names ids only if each has its own reason.
    if (way === undefined || (said === undefined && way !== 'not')) continue;
    if (said === undefined && !rest.startsWith(':')) continue;
    for (const [id] of ids.matchAll(ID)) checks.push({ id, way, at: `${path}:${at + 1}`, rest });
    if (way === 'not') checks.push(...laterOn(rest, path, at));
  }
  return checks;
}

/** Ids whose reason is on the line of others: `PC1: … PC2: …`. */
function laterOn(rest: string, path: string, at: number): Check[] {
  return [...rest.matchAll(/\. ([A-Z]{2,3}\d+)(: \S)/g)].map(([, id = '', reason = '']) => ({
    id,
    way: 'not' as const,
    at: `${path}:${at + 1}`,
    rest: reason,
  }));
}

function headerOf(text: string): string[] {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => !line.startsWith('//'));
  return lines.slice(0, end === -1 ? lines.length : end);
}

function withoutHeader(text: string): string {
  return text.split('\n').slice(headerOf(text).length).join('\n');
}
