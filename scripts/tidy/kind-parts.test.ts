import { describe, expect, test } from '@jest/globals';
import { kindParts } from './kind-parts.ts';
import { parseWorkspace } from './workspace.ts';

const manifest = (name: string): string => JSON.stringify({ name: `@flatline/${name}` });
const KIND = 'libs/core/partition/src/kinds/quota';
const BROKER = 'apps/lab/e2e/src/quotas.test.ts';

/** A complete kind. */
const files: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({ workspaces: ['libs/core/*', 'apps/lab/*'] }),
  'libs/core/partition/package.json': manifest('partition'),
  'apps/lab/e2e/package.json': manifest('e2e'),
  'libs/core/base/src/kind-name.ts': "export const KIND_NAMES = ['quota'] as const;",
  'docs/SPEC.md':
    '## C — Clock\n\n- **C1** It moves.\n\n## N — Quotas\n\nGuide: [QUOTAS](QUOTAS.md).\n\n- **N1** Once.\n',
  'libs/shell/kind-modules/src/quota/words.ts': "export const quotaWords = { noun: 'quota', group: 'quotas' };",
  [`${KIND}/quota-bytes.test.ts`]: "test('[K9] golden bytes of a quota', () => undefined);",
  [`${KIND}/fuzz.test.ts`]: "fuzzChangelog('partition/quota', changedQuota(), quotaView.format);",
  'libs/lab/kinds/src/quota/quota-mutants.ts':
    "export const QUOTA_MUTANTS = [\n  {\n    from: 'a',\n    to: 'b' },\n];",
  [BROKER]: "test('[N1] once', () => run('quotas', 'list'));",
};

function found(changes: Readonly<Record<string, string | undefined>> = {}): readonly string[] {
  const merged = Object.entries({ ...files, ...changes });
  const tree = new Map(merged.flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const])));
  return kindParts(parseWorkspace(tree)).map(({ at, message }) => `${at} ${message}`);
}

const edited = (path: string, from: string, to: string): Record<string, string> => {
  if (!files[path]!.includes(from)) throw new Error(`${path} holds no ${from}`);
  return { [path]: files[path]!.replace(from, to) };
};

const missing: readonly (readonly [
  what: string,
  changes: Readonly<Record<string, string | undefined>>,
  says: string,
])[] = [
  ['names', edited('libs/core/base/src/kind-name.ts', 'KIND_NAMES', 'OTHERS'), 'KIND_NAMES lists them'],
  [
    'a section of rules',
    edited('docs/SPEC.md', 'N — Quotas', 'N — Others'),
    'docs/SPEC.md has no rules of the kind "quota"',
  ],
  [
    'a letter of its own',
    edited('docs/SPEC.md', 'N — Quotas', 'C — Quotas'),
    'the letter of "Clock": take a free one, A B D',
  ],
  ['rules', edited('docs/SPEC.md', '- **N1** Once.', ''), '"Quotas" defines no rule N1'],
  ['rules by its letter', edited('docs/SPEC.md', '- **N1**', '- **N1** A.\n- **Q1**'), '"Quotas" has a rule Q'],
  ['a page', edited('docs/SPEC.md', 'Guide: ', ''), '"Quotas" has no guide'],
  [
    'a page of its own',
    edited('docs/SPEC.md', '- **C1**', 'Guide: [QUOTAS](QUOTAS.md).\n\n- **C1**'),
    '"Quotas" has the guide of "Clock", QUOTAS.md: write one of its own',
  ],
  ['words', { 'libs/shell/kind-modules/src/quota/words.ts': undefined }, 'quota/words.ts is to say noun and group'],
  ['golden bytes', { [`${KIND}/quota-bytes.test.ts`]: undefined }, `${KIND} has no test "golden bytes of a quota"`],
  [
    'golden bytes of its own',
    edited(`${KIND}/quota-bytes.test.ts`, 'quota', 'lease'),
    'has no test "golden bytes of a quota"',
  ],
  ['a fuzz target', { [`${KIND}/fuzz.test.ts`]: undefined }, `${KIND}/fuzz.test.ts is to have the fuzz target`],
  ['a fuzz target by its name', edited(`${KIND}/fuzz.test.ts`, '/quota', '/lease'), "fuzz target 'partition/quota'"],
  ['mutants', { 'libs/lab/kinds/src/quota/quota-mutants.ts': 'export const QUOTA_MUTANTS = [];' }, 'has no mutant'],
  [
    'a test on a broker',
    edited(BROKER, 'N1]', 'C1]'),
    'has no test of the kind "quota": add one with a rule of the kind in its title, such as [N1]',
  ],
  ['its commands in a test', edited(BROKER, "'quotas'", "'leases'"), 'call "quotas list" in one'],
];

describe('parts of a kind', () => {
  test('one that has them all has no findings', () => {
    expect(found()).toEqual([]);
  });

  test.each(missing)('one without %s is told so', (_what, changes, says) => {
    expect(found(changes)).toContainEqual(expect.stringContaining(says));
  });
});
