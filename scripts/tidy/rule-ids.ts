// Rules of docs/SPEC.md against titles of tests, both ways.
//
// A rule is defined by a line of docs/SPEC.md that begins with its id: `- **S3** Before a record is applied …`; the mark
// `*(later)*` right behind the id says that this version does without. A title carries ids in brackets: `[S3] a gap of exactly
// the timeout closes the session`; so do rows of `test.each`, which become titles. What a module's header calls an invariant goes without them: `CL2 between cut and settle …`.
import { type Finding } from './finding.ts';
import { type Title } from './source-module.ts';
import { type Workspace } from './workspace.ts';

const SPEC_PATH = 'docs/SPEC.md';

interface Rule {
  readonly id: string;
  readonly line: number;
  readonly later: boolean;
}

const id = String.raw`(?:[A-Z]{1,2}\d+[a-z]?|kafkajs \d+)`;
const definition = new RegExp(String.raw`^- \*\*(${id})\*\*(?: (\*\(later\)\*))?`);
const bracketed = new RegExp(String.raw`\[(${id}(?:, ?${id})*)\]`, 'g');

export function ruleIds(workspace: Workspace): Finding[] {
  const spec = workspace.tree.get(SPEC_PATH);
  if (spec === undefined) return [{ at: SPEC_PATH, message: 'is missing: it defines the rules that tests carry' }];
  const rules = rulesOf(spec);
  const claims = claimsOf(workspace);
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  const claimed = new Set(claims.map((claim) => claim.id));
  return [
    ...twice(rules),
    ...rules
      .filter((rule) => !rule.later && !claimed.has(rule.id))
      .map((rule) => ({
        at: `${SPEC_PATH}:${rule.line}`,
        message: `no test carries [${rule.id}]: write one, or mark the rule *(later)* if this version does without`,
      })),
    ...claims.flatMap((claim) => {
      const rule = byId.get(claim.id);
      if (rule === undefined)
        return [{ at: claim.at, message: `[${claim.id}] is no rule of ${SPEC_PATH}: correct the id` }];
      if (rule.later)
        return [{ at: claim.at, message: `[${claim.id}] is marked *(later)*: drop the mark, or the claim` }];
      return [];
    }),
  ];
}

/** The rules that a specification defines, in its order. */
function rulesOf(spec: string): Rule[] {
  return spec.split('\n').flatMap((text, index) => {
    const match = definition.exec(text);
    const [, found = '', later] = match ?? [];
    return match === null ? [] : [{ id: found, line: index + 1, later: later !== undefined }];
  });
}

function claimsOf({ projects }: Workspace): { readonly id: string; readonly at: string }[] {
  return projects.flatMap(({ modules }) =>
    modules
      .filter(({ isTest }) => isTest)
      .flatMap(({ path, titles, labels }) =>
        withoutTwins([...titles, ...labels]).flatMap(({ text, line }) =>
          [...text.matchAll(bracketed)].flatMap(([, ids = '']) =>
            ids.split(/, ?/).map((each) => ({ id: each, at: `${path}:${line}` })),
          ),
        ),
      ),
  );
}

/** Drops labels that are also titles. */
function withoutTwins(titles: readonly Title[]): Title[] {
  return [...new Map(titles.map((title) => [`${title.line} ${title.text}`, title])).values()];
}

function twice(rules: readonly Rule[]): Finding[] {
  return rules
    .filter((rule, index) => rules.findIndex(({ id: other }) => other === rule.id) < index)
    .map((rule) => ({
      at: `${SPEC_PATH}:${rule.line}`,
      message: `${rule.id} is defined a second time: an id is for good`,
    }));
}
