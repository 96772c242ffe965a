import { describe, expect, test } from '@jest/globals';
import { broughtAlong } from './brought-along.ts';
import { drawing } from './drawing.ts';
import { type Finding } from './finding.ts';
import { packageCircles } from './package-circles.ts';
import { packageGraph } from './package-graph.ts';
import { edited, workspaceWith } from './workspace.fixture.ts';
import { type Workspace } from './workspace.ts';

type Changes = Readonly<Record<string, string | undefined>>;

const checks = {
  'package graph': packageGraph,
  'brought along': (workspace: Workspace): Finding[] => broughtAlong(workspace, { task: ['store'], cli: ['store'] }),
  drawing,
  'package circles': packageCircles,
};

/** By check: the change that is planted, the place of the finding, and the names in its message. */
const violations: readonly (readonly [
  check: keyof typeof checks,
  what: string,
  changes: Changes,
  at: string,
  names: string,
])[] = [
  [
    'package graph',
    'an undeclared import',
    edited('apps/cli/src/main.ts', 'import', "import { parse } from 'csv-parse/sync';\nimport"),
    'apps/cli/src/main.ts:1',
    'csv-parse: declare it in the dependencies of apps/cli/package.json',
  ],
  [
    'package graph',
    'a dynamic undeclared import',
    edited('apps/cli/src/main.ts', 'run();', "await import('pino');"),
    'apps/cli/src/main.ts:2',
    'pino',
  ],
  [
    'package graph',
    "somebody else's package",
    edited('apps/cli/src/main.test.ts', 'import', "import { Kafka } from 'kafkajs';\nimport"),
    'apps/cli/src/main.test.ts:1',
    'go through @flatline/kafka',
  ],
  [
    'package graph',
    "a dynamic import of somebody else's package, which the linter does not see",
    edited('apps/cli/src/main.ts', 'run();', "await import('lmdb');"),
    'apps/cli/src/main.ts:2',
    'go through @flatline/store',
  ],
  [
    'package graph',
    'an import type of an undeclared package',
    edited('apps/cli/src/main.ts', 'run();', "run() as import('pino').Level;"),
    'apps/cli/src/main.ts:2',
    'pino',
  ],
  [
    'package graph',
    'a source that imports what is declared for tests',
    edited('apps/cli/src/main.ts', 'run();', "import '@flatline/base';"),
    'apps/cli/src/main.ts:2',
    '@flatline/base',
  ],
  [
    'package graph',
    'an undeclared import of a test',
    edited('libs/base/src/start.test.ts', "'@jest/globals'", "'fast-check'"),
    'libs/base/src/start.test.ts:1',
    'devDependencies',
  ],
  [
    'package graph',
    "a module named in Jest's configuration",
    { 'libs/base/jest.config.mjs': "export default { globalSetup: '@flatline/task/setup' };\n" },
    'libs/base/jest.config.mjs:1',
    '@flatline/task',
  ],
  [
    'package graph',
    'a dependency that nothing imports',
    edited('libs/task/package.json', '"devDependencies":{', '"devDependencies":{"pino":"1.0.0"'),
    'libs/task/package.json',
    'pino',
  ],
  [
    'package graph',
    'a dependency that only tests import',
    {
      'apps/cli/src/main.ts': '',
      ...edited('apps/cli/src/main.test.ts', 'import', "import { run } from '@flatline/task';\nrun();\nimport"),
    },
    'apps/cli/package.json',
    'move it to devDependencies',
  ],
  [
    'package graph',
    'a reference that is missing',
    edited('libs/task/tsconfig.json', '{"path":"../base"}', ''),
    'libs/task/tsconfig.json',
    'no reference to libs/base',
  ],
  [
    'brought along',
    'a package that is kept apart, by way of another',
    {
      ...edited('libs/task/package.json', '"@flatline/base":"*"', '"@flatline/base":"*","@flatline/store":"*"'),
      'libs/store/package.json': JSON.stringify({ name: '@flatline/store' }),
    },
    'apps/cli/package.json',
    'cli → task → store',
  ],
  [
    'drawing',
    'a package that is not drawn',
    edited('docs/ARCHITECTURE.md', '  cli --> task\n', ''),
    'docs/ARCHITECTURE.md',
    'does not draw cli',
  ],
  [
    'drawing',
    'a package that is drawn and gone',
    edited('docs/ARCHITECTURE.md', 'cli --> task', 'cli & web --> task'),
    'docs/ARCHITECTURE.md',
    'draws web',
  ],
  [
    'drawing',
    'an arrow that no import makes',
    edited('docs/ARCHITECTURE.md', 'task --> base', 'task & cli --> base & cli'),
    'docs/ARCHITECTURE.md',
    'draws task --> cli',
  ],
  [
    'drawing',
    'an import without an arrow',
    edited('docs/ARCHITECTURE.md', 'task --> base', 'task\n  base'),
    'docs/ARCHITECTURE.md',
    'no way from task to base',
  ],
  [
    'package graph',
    'a source of the product that imports the lab',
    {
      ...edited('package.json', '"apps/*"', '"apps/*","libs/lab/*"'),
      'libs/lab/fleet/package.json': JSON.stringify({ name: '@flatline/fleet' }),
      ...edited('apps/cli/src/main.ts', 'run();', "run(); import('@flatline/fleet');"),
    },
    'apps/cli/src/main.ts:2',
    'of the lab',
  ],
  [
    'package graph',
    'a source of the product that imports what no package contains',
    {
      'apps/cli/src/developer/demo.ts': 'export const demo = 1;\n',
      ...edited('apps/cli/src/main.ts', 'run();', "run(); void import('./developer/demo.ts');"),
    },
    'apps/cli/src/main.ts:2',
    'imports ./developer/demo.ts, which no package contains',
  ],
  [
    'package graph',
    'a source of the playground that imports what judges',
    {
      ...edited('package.json', '"apps/*"', '"apps/*","libs/lab/*"'),
      'libs/lab/cluster/package.json': JSON.stringify({ name: '@flatline/cluster' }),
      'apps/cli/src/playground/try.ts': "import '@flatline/cluster';\n",
    },
    'apps/cli/src/playground/try.ts:1',
    'only @flatline/dev-broker, @flatline/fleet are',
  ],
  [
    'package graph',
    'a source of the product that loads the playground with it',
    {
      'apps/cli/src/playground/try.ts': 'export const play = 1;\n',
      ...edited('apps/cli/src/main.ts', 'run();', "run();\nimport './playground/try.ts';"),
    },
    'apps/cli/src/main.ts:3',
    'loads ./playground/try.ts with it',
  ],
  [
    'package graph',
    'a dependency that only commands for developers import',
    {
      'apps/cli/src/main.ts': '',
      'apps/cli/src/developer/main.ts': "import { run } from '@flatline/task';\nrun();\n",
    },
    'apps/cli/package.json',
    'only apps/cli/src/developer/ imports @flatline/task: move it to devDependencies',
  ],
  [
    'package graph',
    'an undeclared import of commands for developers',
    { 'apps/cli/src/developer/main.ts': "import 'pino';\n" },
    'apps/cli/src/developer/main.ts:1',
    'devDependencies',
  ],
  [
    'package graph',
    'a reference that commands for developers need',
    {
      'apps/cli/src/developer/main.ts': "import { start } from '@flatline/base';\nstart({ n: 1 });\n",
    },
    'apps/cli/tsconfig.json',
    'no reference to libs/base',
  ],
  [
    'package graph',
    'a reference to what is not depended on',
    edited('libs/base/tsconfig.json', '[]', '[{"path":"../task"}]'),
    'libs/base/tsconfig.json',
    'refers to libs/task',
  ],
  [
    'package graph',
    'a project that the root does not build',
    edited('tsconfig.json', '{"path":"./libs/task"},', ''),
    'tsconfig.json',
    'libs/task',
  ],
  [
    'package circles',
    'packages whose tests need each other',
    edited('libs/base/package.json', '"devDependencies":{', '"devDependencies":{"@flatline/task":"*"'),
    'libs/base/package.json',
    '@flatline/base needs @flatline/task',
  ],
  [
    'package circles',
    'a circle of three, each half',
    edited('libs/base/package.json', '"devDependencies":{', '"devDependencies":{"@flatline/cli":"*"'),
    'apps/cli/package.json',
    '@flatline/cli needs @flatline/task',
  ],
];

describe('tidy', () => {
  test.each(Object.entries(checks))('%s: a tidy workspace has no findings', (_name, check) => {
    expect(check(workspaceWith())).toEqual([]);
  });

  test.each(violations)('%s: finds %s', (name, _what, changes, at, names) => {
    expect(checks[name](workspaceWith(changes))).toContainEqual({ at, message: expect.stringContaining(names) });
  });

  test('the playground may import what of the lab is published, and is opened by import() and for types', () => {
    const changes = {
      ...edited('package.json', '"apps/*"', '"apps/*","libs/lab/*"'),
      'libs/lab/fleet/package.json': JSON.stringify({ name: '@flatline/fleet' }),
      'apps/cli/src/playground/try.ts': "export type Flags = object;\nimport '@flatline/fleet';\n",
      ...edited(
        'apps/cli/src/main.ts',
        'run();',
        "run();\nimport type { Flags } from './playground/try.ts';\nvoid import('./playground/try.ts');",
      ),
    };
    const findings = packageGraph(workspaceWith(changes)).map(({ message }) => message);
    expect(findings.filter((message) => /lab|loads/.test(message))).toEqual([]);
  });

  test('commands for developers may import what is declared for tests', () => {
    const changes = {
      'apps/cli/src/developer/main.ts':
        "import { start } from '@flatline/base';\nimport '../main.ts';\nstart({ n: 1 });\n",
      'apps/cli/tsconfig.json': JSON.stringify({
        references: [{ path: '../../libs/task' }, { path: '../../libs/base' }],
      }),
    };
    expect(packageGraph(workspaceWith(changes))).toEqual([]);
  });
});
