// Ids of invariants where comments and titles of tests cite them: `(CC1)`, `test('CK2: one flush at a time', …`.
import { type Finding } from './finding.ts';
import { definedInvariants } from './invariant-ids.ts';
import { type Tree } from './workspace.ts';

const CODE = /\.(ts|mts|cts|js|mjs|cjs)$/;
const COMMENT = /(?:^|\s)(?:\/\/|\/?\*\*?)\s.*$/;
const TITLE = /\b(?:test|describe)(?:\.each\(.*\))?\(\s*(['"`]).*?\1/;
/** A prefix of one letter is a rule's, which rule-ids.ts checks. */
const ID = /(?<![\w-])[A-Z]{2,3}\d{1,2}(?![\w-])/g;

/** A citation must lead somewhere: if an invariant is renamed or dropped, its citations must change, too. */
export function citedInvariants(tree: Tree): Finding[] {
  const code = [...tree].filter(([path]) => CODE.test(path));
  const defined = new Set(code.flatMap(([path, text]) => definedInvariants(path, text)).map(({ id }) => id));
  return code.flatMap(([path, text]) =>
    text.split('\n').flatMap((line, index) =>
      citedIn(line)
        .filter((id) => !defined.has(id))
        .map((id) => ({
          at: `${path}:${index + 1}`,
          message: `${id} is the id of no invariant: cite the one it means`,
        })),
    ),
  );
}

function citedIn(line: string): string[] {
  const said = [COMMENT, TITLE].map((pattern) => pattern.exec(line)?.[0] ?? '').join(' ');
  return [...new Set(said.match(ID))];
}
