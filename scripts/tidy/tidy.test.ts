import { describe, expect, test } from '@jest/globals';
import { deadExports } from './dead-exports.ts';
import { fileLengths } from './file-lengths.ts';
import { type Finding } from './finding.ts';
import { heldBackTests } from './held-back-tests.ts';
import { invariantIds } from './invariant-ids.ts';
import { lockFile } from './lock-file.ts';
import { ruleIds } from './rule-ids.ts';
import { builtTestSwitches, testSwitches } from './test-switches.ts';
import { forbiddenWords } from './words.ts';
import { edited, workspaceWith } from './workspace.fixture.ts';
import { type Workspace } from './workspace.ts';

type Changes = Readonly<Record<string, string | undefined>>;

const checks: Readonly<Record<string, (workspace: Workspace) => Finding[]>> = {
  'rule ids': ruleIds,
  'invariant ids': ({ tree }) => invariantIds(tree),
  'dead exports': deadExports,
  'lock file': lockFile,
  'held-back tests': heldBackTests,
  'test switches': testSwitches,
  words: ({ tree }) => forbiddenWords(tree),
  'file lengths': ({ tree }) => fileLengths(tree).findings,
};

const checkOf = (name: string): ((workspace: Workspace) => Finding[]) => {
  const check = checks[name];
  if (check === undefined) throw new Error(`no check ${name}`);
  return check;
};

const source = (text: string): Changes => edited('libs/base/src/start.ts', 'return n;', text);

/** By check: the change that is planted, the place of the finding, and the names in its message. */
const violations: readonly (readonly [check: string, what: string, changes: Changes, at: string, names: string])[] = [
  ['rule ids', 'no specification', { 'docs/SPEC.md': undefined }, 'docs/SPEC.md', 'missing'],
  ['rule ids', 'a rule without a test', edited('docs/SPEC.md', '**W2** *(later)*', '**W2**'), 'docs/SPEC.md:4', 'W2'],
  [
    'rule ids',
    'a rule with a letter without a test',
    edited('libs/base/src/start.test.ts', '[F2b, ', '['),
    'docs/SPEC.md:5',
    'F2b',
  ],
  [
    'rule ids',
    'a test for no rule',
    edited('libs/base/src/start.test.ts', 'W1]', 'W1][W9]'),
    'libs/base/src/start.test.ts:3',
    'W9',
  ],
  [
    'rule ids',
    'a row of tests for no rule',
    edited('libs/base/src/start.test.ts', 'test.each([1])', "const rows = ['[W1] a', '[Q7] b']; test.each(rows)"),
    'libs/base/src/start.test.ts:4',
    'Q7',
  ],
  [
    'rule ids',
    'a group of tests for no rule',
    edited('libs/base/src/start.test.ts', 'test.each([1])', 'describe.each([1])(`[Q${1}] [Q7] x`); test.each([1])'),
    'libs/base/src/start.test.ts:4',
    'Q7',
  ],
  [
    'rule ids',
    'a test for a rule that is put off',
    edited('libs/base/src/start.test.ts', '[W1]', '[W1] [W2]'),
    'libs/base/src/start.test.ts:3',
    'W2',
  ],
  [
    'rule ids',
    'an id used twice',
    edited('docs/SPEC.md', '**F2b**', '**W1** Twice.\n- **F2b**'),
    'docs/SPEC.md:5',
    'W1',
  ],
  [
    'invariant ids',
    'a prefix of one letter',
    { 'libs/task/src/spare.ts': '// Spare.\n//   S1  It waits.\n' },
    'libs/task/src/spare.ts:2',
    'S1 looks like a rule',
  ],
  [
    'invariant ids',
    "a rule's prefix",
    {
      'docs/SPEC.md': '- **SP1** Never early.\n',
      'libs/task/src/spare.mjs': '#!/usr/bin/env node\n//   SP2  It waits.\n',
    },
    'libs/task/src/spare.mjs:2',
    'SP2 looks like a rule',
  ],
  [
    'invariant ids',
    "another file's prefix",
    { 'libs/task/src/spare.ts': '//   RU3  It waits.\n' },
    'libs/task/src/spare.ts:1',
    'libs/task/src/index.ts',
  ],
  [
    'invariant ids',
    'an id used twice',
    { 'libs/task/src/spare.ts': '//   SP1  It waits.\n//   SP1  It stays.\nexport {};\n//   S1  Not in the header.\n' },
    'libs/task/src/spare.ts:2',
    'second time',
  ],
  [
    'dead exports',
    'an export that a folder passes on in vain',
    {
      'libs/base/src/steps/index.ts': "export { step } from '../start.ts';\nexport { start } from '../start.ts';\n",
      'libs/base/src/more.ts': "import { step } from './steps/index.ts';\nstep(1);\n",
    },
    'libs/base/src/steps/index.ts:2',
    'start from here',
  ],
  [
    'dead exports',
    'an unused function',
    edited('libs/base/src/start.ts', 'export function step', 'export function left(): void {}\nexport function step'),
    'libs/base/src/start.ts:3',
    'left: delete',
  ],
  [
    'dead exports',
    'an export of its own file only',
    edited('libs/base/src/start.test.ts', "import { step } from './start.ts';", 'const step = Number;'),
    'libs/base/src/start.ts:3',
    'step: drop',
  ],
  [
    'dead exports',
    'a function of tests only',
    {
      ...source('return n; }\nexport function spare(): number { return 1;'),
      ...edited('libs/base/src/start.test.ts', '{ step }', '{ spare, step }'),
    },
    'libs/base/src/start.ts:4',
    'only tests use spare',
  ],
  [
    'dead exports',
    'an entry that no other package imports',
    edited('libs/base/src/index.ts', 'start }', 'start, step }'),
    'libs/base/src/index.ts:1',
    'step',
  ],
  [
    'dead exports',
    'an entry of a folder that no other package imports',
    { 'libs/base/src/by/step/index.ts': "export { step } from '../../start.ts';\n" },
    'libs/base/src/by/step/index.ts:1',
    'no other package imports step',
  ],
  [
    'dead exports',
    'an entry under another name',
    edited('libs/base/src/index.ts', 'start }', 'start, step as stride }'),
    'libs/base/src/index.ts:1',
    'stride',
  ],
  [
    'dead exports',
    'a type that no live export names',
    edited(
      'libs/base/src/start.ts',
      'options: Options): number { return step(options.n)',
      'n: number): number { return step(n)',
    ),
    'libs/base/src/index.ts:1',
    'Options',
  ],
  [
    'dead exports',
    'an unused file',
    { 'libs/task/src/spare.ts': 'export class Spare {}\n' },
    'libs/task/src/spare.ts:1',
    'the file with it',
  ],
  [
    'lock file',
    'a dependency that is not locked',
    edited('libs/task/package.json', '"devDependencies":{', '"devDependencies":{"pino":"1.0.0"'),
    'libs/task/package.json',
    'npm install',
  ],
  [
    'lock file',
    'another version than locked',
    edited('package-lock.json', '"@jest/globals":"1.0.0"', '"@jest/globals":"1.0.1"'),
    'package.json',
    'npm install',
  ],
  [
    'lock file',
    'a hole for a platform',
    edited('package-lock.json', ',"node_modules/jest-for-linux":{}', ''),
    'package-lock.json',
    'jest-for-linux',
  ],
  [
    'held-back tests',
    'one test only',
    edited('libs/base/src/start.test.ts', 'test(', 'test.only('),
    'libs/base/src/start.test.ts:3',
    'test.only',
  ],
  [
    'held-back tests',
    'a skipped group',
    edited('libs/base/src/start.test.ts', 'test(', 'describe.skip('),
    'libs/base/src/start.test.ts:3',
    'describe.skip',
  ],
  [
    'held-back tests',
    'a test to come',
    edited('libs/base/src/start.test.ts', 'test(', "test.todo('x'); test("),
    'libs/base/src/start.test.ts:3',
    'test.todo',
  ],
  [
    'held-back tests',
    'a skipped table',
    edited('libs/base/src/start.test.ts', 'test.each', 'test.skip.each'),
    'libs/base/src/start.test.ts:4',
    'test.skip',
  ],
  [
    'held-back tests',
    'an x before it',
    edited('libs/base/src/start.test.ts', 'test(', 'xtest('),
    'libs/base/src/start.test.ts:3',
    'xtest',
  ],
  [
    'test switches',
    'a variable that is read apart from configuration',
    source("return process.env['QUICK'] === '1' ? 0 : n;"),
    'libs/base/src/start.ts:3',
    'process.env',
  ],
  [
    'test switches',
    'one by the name of a switch, where the environment may be read',
    edited('apps/cli/src/main.ts', 'run();', "run(process.env['FLATLINE_TEST_UNSAFE']);"),
    'apps/cli/src/main.ts:2',
    'FLATLINE_TEST',
  ],
  [
    'words',
    'a path of one machine',
    source(`return n; // ${['', 'root', 'x'].join('/')}`),
    'libs/base/src/start.ts:3',
    'tmpdir',
  ],
  [
    'words',
    'a folder for temporary files',
    source(`return '${['', 'tmp', 'x'].join('/')}' ? n : 0;`),
    'libs/base/src/start.ts:3',
    'tmpdir',
  ],
  [
    'words',
    'the host of a registry',
    { 'infra/pom.xml': `<a/>\n<url>https://${['repo', 'maven', 'apache', 'org'].join('.')}/x</url>` },
    'infra/pom.xml:2',
    'registry',
  ],
  ['words', 'a debt', { 'README.md': `a\n\n${'TO' + 'DO'}: more` }, 'README.md:3', 'issue'],
  [
    'words',
    'a comment without its noun',
    { 'libs/core/base/src/start.ts': `// ${'O' + 'f'} a start.` },
    'libs/core/base/src/start.ts:1',
    'noun',
  ],
  [
    'words',
    'a comment that opens with a question word',
    { 'libs/core/base/src/start.ts': `/** ${'Wh' + 'at'} it begins with. */` },
    'libs/core/base/src/start.ts:1',
    'verb',
  ],
  [
    'words',
    'a comment that opens with a pronoun',
    { 'apps/lab/peer.go': `/*\n * ${'Tho' + 'se'} that are left.\n */` },
    'apps/lab/peer.go:2',
    'noun',
  ],
  ['words', 'a sentence without its noun', { 'docs/A.md': `It ends. ${'O' + 'f'} it, half.` }, 'docs/A.md:1', 'noun'],
  [
    'words',
    'a word out of use in a page',
    { 'infra/README.md': `Made ${'an' + 'ew'}.` },
    'infra/README.md:1',
    'English',
  ],
  ['words', 'a word out of use', { 'scripts/a.mjs': `\n// Made ${'an' + 'ew'}.` }, 'scripts/a.mjs:2', 'English'],
  [
    'words',
    'a person for a subject',
    { 'scripts/a.py': `a = 1 # ${'No' + 'body'} reads it.` },
    'scripts/a.py:1',
    'subject',
  ],
  ['words', 'an audience', { 'apps/lab/e2e/a.ts': `// A name, for ${'peo' + 'ple'}.` }, 'apps/lab/e2e/a.ts:1', 'human'],
  [
    'file lengths',
    'a file beyond the end',
    { 'libs/task/src/long.ts': 'f();\n'.repeat(501) },
    'libs/task/src/long.ts',
    '501',
  ],
];

describe('tidy', () => {
  test.each(Object.keys(checks))('%s: a tidy workspace has no findings', (name) => {
    expect(checkOf(name)(workspaceWith())).toEqual([]);
  });

  test.each(violations)('%s: finds %s', (name, _what, changes, at, names) => {
    expect(checkOf(name)(workspaceWith(changes))).toContainEqual({ at, message: expect.stringContaining(names) });
  });
});

describe('what is right is left alone', () => {
  test('a path in a URL, an identifier or below a folder is no path of a machine', () => {
    const [temporary, root, work] = ['tmp', 'root', 'work'];
    const lines = [`'x/${temporary}/y'`, `'https://a.b/${root}/'`, `\`\${folder}/${temporary}\``, `/${work}shop/`];
    expect(forbiddenWords(new Map([['a.ts', lines.join('\n')]]))).toEqual([]);
  });

  test('an exempted line', () => {
    const tree = new Map([['infra/pod.yaml', ['mountPath: ', 'tmp'].join('/')]]);
    const exemption = { path: 'infra/pod.yaml', text: 'mountPath', reason: 'a path inside a container' };
    expect(forbiddenWords(tree, [exemption])).toEqual([]);
    expect(forbiddenWords(tree, [{ ...exemption, path: 'other.yaml' }])).toHaveLength(1);
  });

  test('what is built has no switches either, and is there', () => {
    const sources = [
      'libs/base/src/index.ts',
      'libs/base/src/by/pace/index.ts',
      'libs/base/src/by/pace/pace.ts',
      'libs/base/src/start.ts',
      'libs/task/src/index.ts',
      'apps/cli/src/main.ts',
    ];
    const outputs = sources.map((path) => path.replace('/src/', '/dist/').replace('.ts', '.js'));
    const built = new Map(outputs.map((path) => [path, 'process.exit();']));
    expect(builtTestSwitches(workspaceWith(), built)).toEqual([]);
    built.set('libs/base/dist/start.js', 'f();\nif (process.env.QUICK) g();');
    built.delete('libs/task/dist/index.js');
    expect(builtTestSwitches(workspaceWith(), built).map(({ at }) => at)).toEqual([
      'libs/base/dist/start.js:2',
      'libs/task/dist/index.js',
    ]);
  });

  test('the environment is read at the entry of the program, and by tests and the lab', () => {
    const read = "console.log(process.env['KAFKA_BROKERS']);";
    const changes = {
      ...edited('apps/cli/src/main.ts', 'run();', read),
      'libs/base/src/more.test.ts': read,
      'apps/cli/src/developer/demo.ts': read,
    };
    expect(testSwitches(workspaceWith(changes))).toEqual([]);
  });

  test('blank lines and comments are no code', () => {
    const text = '// a\n\n/*\n * b\n */\n/** c */\n' + 'f();\n'.repeat(500);
    expect(fileLengths(new Map([['a.ts', text]]))).toMatchObject({ findings: [], warnings: [{ at: 'a.ts' }] });
  });

  test('a nested package fills no hole of another', () => {
    const nested = edited(
      'package-lock.json',
      '"node_modules/jest-for-linux"',
      '"node_modules/@jest/globals/node_modules/jest-for-linux"',
    );
    expect(lockFile(workspaceWith(nested))).toEqual([]);
    const elsewhere = edited(
      'package-lock.json',
      '"node_modules/jest-for-linux"',
      '"node_modules/other/node_modules/jest-for-linux"',
    );
    expect(lockFile(workspaceWith(elsewhere))).toHaveLength(1);
  });
});
